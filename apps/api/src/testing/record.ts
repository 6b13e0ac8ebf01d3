import { readFileSync, writeFileSync } from 'node:fs';
import { type RecordedAnswers, recordedFile } from '../document/examples.ts';
import { baseUrl } from './index.ts';

// Records responses of the service as examples for its document: real, shortened, and without dates of the test.

const columnsMax = 12;
const valuesMax = 4;
const cursor = 'WyJoSnA1dGtLRnVTdW4iLCJyZXNfMDE5MmYwYzhhMWIyN2MzZDhlNGY1YTZiN2M4ZDllMGYiXQ';

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Maps by name, of which a few entries are enough as an example. */
const isMap = (name: string, value: Record<string, unknown>) =>
  ['metrics', 'derived', 'definitions', 'certified'].includes(name) || (name === 'statistics' && !('n' in value));

/** The value with lists of objects cut to `itemsMax`, and maps cut to a few entries that have a value. */
function shorten(value: unknown, itemsMax: number, name = ''): unknown {
  if (Array.isArray(value)) {
    const kept = value.slice(0, value.every((item) => typeof item !== 'object') ? valuesMax : itemsMax);
    return kept.map((item) => shorten(item, itemsMax));
  }
  if (!isRecord(value)) return name === 'next_cursor' && value !== null ? cursor : value;
  const entries = Object.entries(value);
  const kept = isMap(name, value) ? entries.filter(([, item]) => item !== null).slice(0, valuesMax) : entries;
  return Object.fromEntries(kept.map(([key, item]) => [key, shorten(item, itemsMax, key)]));
}

const cells = /"(?:[^"]|"")*"|[^,]+|(?<=,)(?=,|$)/g;

/** The first two lines, with shortened objects for JSON Lines and the first columns for CSV. */
function shortenText(text: string, type: string): string {
  if (/^image|xml/.test(type)) return text;
  const lines = text.split('\n').slice(0, 2);
  const short = type.startsWith('application/x-ndjson')
    ? lines.map((line) => (line === '' ? '' : JSON.stringify(shorten(JSON.parse(line), 1))))
    : lines.map((line) => (line.match(cells) ?? []).slice(0, columnsMax).join(','));
  return `${short.join('\n')}\n`;
}

/** Replaces ids, times, keys and addresses of the test by fixed ones. */
function anonymise(text: string, since: number): string {
  const ids = new Map<string, string>();
  return text
    .replaceAll(baseUrl, 'http://localhost:8787')
    .replace(/\b(sub|res|acc|key|sgk|ep|run|sch|whk|msg|con)_[0-9a-f]{32}\b/g, (id, prefix) => {
      const known = ids.get(id) ?? `${prefix}_0192f0c8a1b27c3d8e4f${(ids.size + 1).toString(16).padStart(12, '0')}`;
      ids.set(id, known);
      return known;
    })
    .replace(/\bib_[0-9A-Za-z]{36}\b/g, 'ib_ThisIsAnExampleAndOpensNothing000000')
    .replace(/\bwhsec_[0-9A-Za-z+/]{43}=/g, 'whsec_VGhpcyBpcyBhbiBleGFtcGxlIGFuZCBvcGVucyBub3Q=')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) => (Date.parse(time) >= since ? '2026-01-15T09:30:00.000Z' : time));
}

/** A response as an example. `since` is the start of the test: later times are replaced. */
export function toExample(body: unknown, type: string, since: number, itemsMax = 1): unknown {
  if (typeof body === 'string') return anonymise(shortenText(body, type), since);
  return JSON.parse(anonymise(JSON.stringify(shorten(body, itemsMax)), since));
}

/** Adds examples for responses that had none; returns their names. */
export function recordMissing(found: RecordedAnswers): string[] {
  const recorded = JSON.parse(readFileSync(recordedFile, 'utf8')) as RecordedAnswers;
  const missing = Object.entries(found).flatMap(([operationId, answers]) =>
    Object.keys(answers)
      .filter((status) => recorded[operationId]?.[status] === undefined)
      .map((status) => `${operationId} ${status}`),
  );
  if (missing.length === 0) return [];
  const ids = [...new Set([...Object.keys(recorded), ...Object.keys(found)])].sort();
  const merged = Object.fromEntries(ids.map((id) => [id, { ...found[id], ...recorded[id] }]));
  writeFileSync(recordedFile, `${JSON.stringify(merged, null, 2)}\n`);
  return missing;
}
