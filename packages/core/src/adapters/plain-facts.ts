import type { Reading } from './adapter.ts';

/** Longest text of a fact; no tool prints a name this long. */
const longest = 1000;
/** Names of ignored fields that are told. */
const maxIgnored = 100;

/** What nearly every text is, and quicker to tell than that nothing of Unicode's is in it. */
const printable = /^[ -~]*$/;
const hostile = /[\p{Cc}\p{Bidi_Control}]/u;
const allHostile = /[\p{Cc}\p{Bidi_Control}]/gu;

/** Text without what a terminal does not show: control characters and changes of direction. Line ends become blanks. */
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
  // Nothing of these is inherited, and lists of their entries would be made for every result.
  for (const key in value) if (!isPlain(key) || !isPlain(value[key as keyof typeof value])) return false;
  return true;
}

/** The same value with plain text throughout. Nearly every value is plain already, and none of those is copied. */
function toPlain<T>(value: T): T;
function toPlain(value: unknown): unknown {
  if (isPlain(value)) return value;
  if (typeof value === 'string') return toPlainText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => toPlain(item));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [toPlainText(key), toPlain(item)]));
}

/**
 * A reading whose facts are plain text: a name read from a log may carry colours or a change of direction, and would
 * look like another one. What is prose (the `notes` of a report or a result) keeps its lines.
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

/** As many of the names as are told. */
export function tellIgnored(names: Iterable<string>): string[] {
  const told: string[] = [];
  for (const name of names) {
    if (told.length === maxIgnored) break;
    told.push(name);
  }
  return told;
}
