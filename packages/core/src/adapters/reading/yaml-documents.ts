import { CORE_SCHEMA, load, YAMLException } from 'js-yaml';
import type { JsonValue } from './json.ts';
import type { BrokenJson, JsonContent, JsonDocument } from './json-documents.ts';

/** Names with which a report in YAML holds its benchmarks, on a line of their own and not indented. */
const words = ['benchmarks', 'results', 'metrics', 'scenario', 'run', 'load_summary', 'successes'];
/** One of these is in every such report. */
export const yamlWords = words.map((word) => `${word}:`);
const holds = new RegExp(`^(?:${words.join('|')}):\\s*(?:#.*)?$`);
const name = /^["']?[A-Za-z_][\w-]{0,60}["']?:(?: |$)/;
/** Lines that go on with what was begun: indented, an item, the end of a list in brackets, a comment or nothing. */
const goesOn = /^(?:\s|- |-$|[\]}]|#|$)/;

/** Values of one document, counted as often as aliases repeat them. Reports have some ten thousand. */
const maxValues = 500_000;

/** Together no longer than this in UTF-16 units: JSON is read several times as fast, and every tool can write it. */
const maxLength = 4 * 1024 * 1024;
const maxBroken = 100;

class TooMany extends Error {}

/** As our JSON reader gives it: NaN is missing, a whole number no double holds is text, every value is one of JSON. */
function toJson(value: unknown, room: { values: number }): JsonValue {
  if (--room.values < 0) throw new TooMany();
  if (typeof value === 'number') {
    if (Number.isNaN(value)) return null;
    return Number.isInteger(value) && !Number.isSafeInteger(value) ? String(value) : value;
  }
  if (typeof value === 'string') return value.replaceAll('\u0000', '').toWellFormed();
  if (Array.isArray(value)) return value.map((item) => toJson(item, room));
  if (typeof value !== 'object' || value === null) return value === true || value === false ? value : null;
  const object: { [key: string]: JsonValue } = {};
  for (const [key, item] of Object.entries(value)) if (key !== '__proto__') object[key] = toJson(item, room);
  return object;
}

interface Stretch {
  /** 1-based, inclusive. */
  from: number;
  to: number;
}

/** Stretches of lines that have the form of a report: names at the margin, one of which holds what a report holds. */
function findStretches(lines: readonly string[], taken: readonly JsonDocument[]): Stretch[] {
  const stretches: Stretch[] = [];
  let from = 0;
  let names = 0;
  let isReport = false;
  let next = 0;
  const end = (line: number) => {
    let to = line - 1;
    while (to > from && (lines[to - 1] ?? '').trim() === '') to--;
    // A list of objects under one name is a report, two words below each other may be a note.
    const isList = /^- [A-Za-z_]\w*:(?: |$)/.test(lines[from] ?? '');
    if (from > 0 && isReport && (names > 1 || isList)) stretches.push({ from, to });
    from = 0;
    names = 0;
    isReport = false;
  };
  for (let line = 1; line <= lines.length; line++) {
    const document = taken[next];
    // In brackets within YAML it is a part of it.
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

/** Reads one stretch; a break is told by its line. */
function readStretch(
  lines: readonly string[],
  { from, to }: Stretch,
  room: { length: number },
): JsonDocument | BrokenJson {
  const text = lines.slice(from - 1, to).join('\n');
  room.length -= text.length;
  const broken = (line: number, reason: string): BrokenJson => ({
    code: 'yaml_broken',
    line,
    message: `Line ${line} is broken YAML: ${reason}.`,
  });
  if (room.length < 0)
    return broken(from, `more than ${maxLength / 1024 ** 2} MiB of it are not read; send JSON instead`);
  try {
    const value = toJson(load(text, { schema: CORE_SCHEMA, maxDepth: 100 }), { values: maxValues });
    return { value, from, to };
  } catch (error) {
    if (error instanceof TooMany) return broken(from, `it holds more than ${maxValues} values`);
    if (!(error instanceof YAMLException)) throw error;
    return broken(from + (error.mark?.line ?? 0), error.reason.slice(0, 200));
  }
}

/**
 * Reports in YAML, between whatever else an artifact holds, as if they were JSON: without types beyond those of JSON
 * (`no` and dates stay words), without tags, without keys that occur twice, and with an end to what aliases repeat.
 * What has the form of a report and breaks off is listed with its line. `possible` are the numbers (1-based) of the lines
 * with any of `yamlWords`, `taken` are the JSON documents, by line.
 */
export function findYaml(
  lines: readonly string[],
  possible: readonly number[],
  taken: readonly JsonDocument[],
): JsonContent {
  if (!possible.some((line) => holds.test(lines[line - 1] ?? ''))) return { documents: [], broken: [] };
  const documents: JsonDocument[] = [];
  const broken: BrokenJson[] = [];
  const room = { length: maxLength };
  for (const stretch of findStretches(lines, taken)) {
    if (broken.length === maxBroken || room.length < 0) break;
    const found = readStretch(lines, stretch, room);
    if ('message' in found) broken.push(found);
    else documents.push(found);
  }
  return { documents, broken };
}
