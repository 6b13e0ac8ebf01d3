import type { Reading } from './adapter.ts';

/** Maximum length of a fact; no tool prints a name this long. */
const longest = 1000;
/** Maximum number of ignored field names in a response. */
const maxIgnored = 100;

/** Matches nearly every text, and is faster than testing for the absence of special Unicode characters. */
const printable = /^[ -~]*$/;
const hostile = /[\p{Cc}\p{Bidi_Control}]/u;
const allHostile = /[\p{Cc}\p{Bidi_Control}]/gu;

/** Text without invisible characters: control characters and bidirectional controls. Line ends become spaces. */
export function toPlainText(text: string): string {
  const head = text.length > longest ? text.slice(0, longest).toWellFormed() : text;
  return hostile.test(head)
    ? head
        .replace(/[\t\r\n]+/g, ' ')
        .replace(allHostile, '')
        .trim()
    : head;
}

function isPlain(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= longest && (printable.test(value) || !hostile.test(value));
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isPlain);
  // These objects inherit nothing, and lists of their entries would be created for every result.
  for (const key in value) if (!isPlain(key) || !isPlain(value[key as keyof typeof value])) return false;
  return true;
}

/** The same value with all texts plain. Nearly all values are plain already and are not copied. */
function toPlain<T>(value: T): T;
function toPlain(value: unknown): unknown {
  if (isPlain(value)) return value;
  if (typeof value === 'string') return toPlainText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => toPlain(item));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [toPlainText(key), toPlain(item)]));
}

/**
 * Returns a reading with plain text facts. A name from a log may contain colour codes or bidirectional controls and would
 * look like another one. Prose (the `notes` of a report or a result) keeps its lines.
 */
export function toPlainReading(reading: Reading): Reading {
  return {
    ...reading,
    tool: toPlain(reading.tool),
    results: reading.results.map((result) => {
      const { notes: prose, ...facts } = result.extra;
      const extra = toPlain(facts);
      return {
        ...result,
        system: toPlain(result.system),
        scenario: toPlain(result.scenario),
        extra: prose === undefined ? extra : { ...extra, notes: prose },
        notes: toPlain(result.notes),
      };
    }),
    ignored: reading.ignored.slice(0, maxIgnored).map((name) => toPlainText(name.slice(0, 200))),
  };
}

/** The names, up to the maximum in a response. */
export function noteIgnored(names: Iterable<string>): string[] {
  const kept: string[] = [];
  for (const name of names) {
    if (kept.length === maxIgnored) break;
    kept.push(name);
  }
  return kept;
}
