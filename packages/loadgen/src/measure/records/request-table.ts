import { type Outcome, outcomes } from './load-record.ts';

/** Columns of times in ms; NaN is missing. From `ready` on only the load generator delayed the request. */
export const stampNames = [
  'due',
  'ready',
  'started',
  'written',
  'headers',
  'firstByte',
  'firstContent',
  'firstReasoning',
  'done',
  'closed',
] as const;
export type StampName = (typeof stampNames)[number];

/** Columns of counts; -1 is missing. */
export const countNames = [
  'outcome',
  'status',
  'promptTokens',
  'outputTokens',
  /** Tokens of usage, plausible or not, and the maximum of the request. */
  'statedTokens',
  'maxTokens',
  'cachedTokens',
  'chunks',
  'isReused',
  'isRetried',
  'tokenReads',
  'coalescedReads',
] as const;
export type CountName = (typeof countNames)[number];

/** One row a request, in memory that all threads share. A row is written by one thread, once. */
export interface RequestTable {
  rows: number;
  stamps: Record<StampName, Float64Array>;
  counts: Record<CountName, Int32Array>;
  /** What another thread builds the same table from. */
  memory: SharedArrayBuffer;
}

function columns<Name extends string, Column>(names: readonly Name[], make: (place: number) => Column) {
  return Object.fromEntries(names.map((name, place) => [name, make(place)])) as Record<Name, Column>;
}

/** Opens the table in memory that another thread created. */
export function openTable(memory: SharedArrayBuffer, rows: number): RequestTable {
  const countsAt = rows * stampNames.length * Float64Array.BYTES_PER_ELEMENT;
  return {
    rows,
    memory,
    stamps: columns(
      stampNames,
      (place) => new Float64Array(memory, place * rows * Float64Array.BYTES_PER_ELEMENT, rows),
    ),
    counts: columns(
      countNames,
      (place) => new Int32Array(memory, countsAt + place * rows * Int32Array.BYTES_PER_ELEMENT, rows),
    ),
  };
}

/** An empty table. */
export function createTable(rows: number): RequestTable {
  const rowBytes =
    stampNames.length * Float64Array.BYTES_PER_ELEMENT + countNames.length * Int32Array.BYTES_PER_ELEMENT;
  const table = openTable(new SharedArrayBuffer(rows * rowBytes), rows);
  for (const name of stampNames) table.stamps[name].fill(Number.NaN);
  for (const name of countNames) table.counts[name].fill(-1);
  return table;
}

export const outcomeIndex = Object.fromEntries(outcomes.map((name, index) => [name, index])) as Record<Outcome, number>;
