import { CORE_SCHEMA, load, YAMLException } from 'js-yaml';
import type { JsonValue } from './json.ts';
import type { BrokenJson, JsonContent, JsonDocument } from './json-documents.ts';

/** Top-level names of the parts of a YAML report, on separate lines without indentation. */
const words = ['benchmarks', 'results', 'metrics', 'scenario', 'run', 'load_summary', 'successes'];
/** Every such report contains one of these. */
export const yamlWords = words.map((word) => `${word}:`);
const holds = new RegExp(`^(?:${words.join('|')}):\\s*(?:#.*)?$`);
const name = /^["']?[A-Za-z_][\w-]{0,60}["']?:(?: |$)/;
/** Lines that continue a value: indented lines, items, closing brackets, comments and empty lines. */
const goesOn = /^(?:\s|- |-$|[\]}]|#|$)/;

/** Maximum number of values of one document, counted after expanding aliases. Reports have about ten thousand. */
const maxValues = 500_000;

/** Maximum total length in UTF-16 units. JSON is parsed several times as fast, and every tool can write it. */
const maxLength = 4 * 1024 * 1024;
const maxBroken = 100;

class TooMany extends Error {}

/**
 * Converts to the values of our JSON reader: NaN is missing, a whole number that no double holds is text, and all types are
 * JSON types.
 */
function toJson(value: unknown, budget: { values: number }): JsonValue {
  if (--budget.values < 0) throw new TooMany();
  if (typeof value === 'number') {
    if (Number.isNaN(value)) return null;
    return Number.isInteger(value) && !Number.isSafeInteger(value) ? String(value) : value;
  }
  if (typeof value === 'string') return value.replaceAll('\u0000', '').toWellFormed();
  if (Array.isArray(value)) return value.map((item) => toJson(item, budget));
  if (typeof value !== 'object' || value === null) return value === true || value === false ? value : null;
  const object: { [key: string]: JsonValue } = {};
  for (const [key, item] of Object.entries(value)) if (key !== '__proto__') object[key] = toJson(item, budget);
  return object;
}

interface Stretch {
  /** 1-based, inclusive. */
  from: number;
  to: number;
}

/** Ranges of lines with the form of a report: top-level names, one of which is the name of a report part. */
function findStretches(lines: readonly string[], taken: readonly JsonDocument[]): Stretch[] {
  const stretches: Stretch[] = [];
  let from = 0;
  let names = 0;
  let isReport = false;
  let next = 0;
  const end = (line: number) => {
    let to = line - 1;
    while (to > from && (lines[to - 1] ?? '').trim() === '') to--;
    // A list of objects under one name is a report; two words below each other may be a note.
    const isList = /^- [A-Za-z_]\w*:(?: |$)/.test(lines[from] ?? '');
    if (from > 0 && isReport && (names > 1 || isList)) stretches.push({ from, to });
    from = 0;
    names = 0;
    isReport = false;
  };
  for (let line = 1; line <= lines.length; line++) {
    const document = taken[next];
    // Brackets within YAML belong to the YAML.
    if (document !== undefined && document.from === line && from === 0) {
      line = document.to;
      next++;
      continue;
    }
    while ((taken[next]?.from ?? line + 1) <= line) next++;
    const text = lines[line - 1] ?? '';
    if (name.test(text)) {
      if (from === 0) from = line;
      names++;
      isReport ||= holds.test(text);
    } else if (from > 0 && !goesOn.test(text)) end(line);
  }
  end(lines.length + 1);
  return stretches;
}

/** Reads one range. An error reports its line. */
function readStretch(
  lines: readonly string[],
  { from, to }: Stretch,
  budget: { length: number },
): JsonDocument | BrokenJson {
  const text = lines.slice(from - 1, to).join('\n');
  budget.length -= text.length;
  const broken = (line: number, reason: string): BrokenJson => ({
    code: 'yaml_broken',
    line,
    message: `Line ${line} is invalid YAML: ${reason}.`,
  });
  if (budget.length < 0) return broken(from, `at most ${maxLength / 1024 ** 2} MiB are supported; send JSON instead`);
  try {
    const value = toJson(load(text, { schema: CORE_SCHEMA, maxDepth: 100 }), { values: maxValues });
    return { value, from, to };
  } catch (error) {
    if (error instanceof TooMany) return broken(from, `it has more than ${maxValues} values`);
    if (!(error instanceof YAMLException)) throw error;
    return broken(from + (error.mark?.line ?? 0), error.reason.slice(0, 200));
  }
}

/**
 * YAML reports between other content of an artifact, as JSON values: only JSON types (`no` and dates stay text), no tags, no
 * duplicate keys, and a limit on alias expansion. Truncated or invalid reports are listed with their line. `possible` are
 * the numbers (1-based) of the lines with any of `yamlWords`; `taken` are the JSON documents, by line.
 */
export function findYaml(
  lines: readonly string[],
  possible: readonly number[],
  taken: readonly JsonDocument[],
): JsonContent {
  if (!possible.some((line) => holds.test(lines[line - 1] ?? ''))) return { documents: [], broken: [] };
  const documents: JsonDocument[] = [];
  const broken: BrokenJson[] = [];
  const budget = { length: maxLength };
  for (const stretch of findStretches(lines, taken)) {
    if (broken.length === maxBroken || budget.length < 0) break;
    const found = readStretch(lines, stretch, budget);
    if ('message' in found) broken.push(found);
    else documents.push(found);
  }
  return { documents, broken };
}
