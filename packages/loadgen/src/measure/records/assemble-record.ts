import type { ThreadResult } from '../thread-messages.ts';
import { type LoadRecord, type Outcome, outcomes, type RequestRecord } from './load-record.ts';
import { percentilesOf, pooledGaps, positiveMedian } from './percentiles.ts';
import { redact, secretsOf } from './redact.ts';
import type { CountName, RequestTable, StampName } from './request-table.ts';
import { checkSelf } from './self-check.ts';

export interface FinishedRun {
  results: ThreadResult[];
  startedUnixMs: number;
  startedMonotonicMs: number;
}

const detailCharsMax = 200;
const noChunks = new Float64Array(0);

/** Words of a server for the record: without secrets, and not too many. */
export function tidy(detail: string | null, secrets: readonly string[]): string | null {
  if (detail === null) return null;
  const text = redact(detail, secrets);
  return text.length > detailCharsMax ? `${text.slice(0, detailCharsMax - 1)}…` : text;
}

export interface Words {
  detail: string | null;
  finishReason: string | null;
}

/** The chunks of a row, from the one thread that has any. */
function chunksOf(results: readonly ThreadResult[], row: number): Float64Array {
  for (const { chunks } of results) {
    const [from = 0, to = 0] = [chunks.offsets[row], chunks.offsets[row + 1]];
    if (to > from) return chunks.stamps.subarray(from, to);
  }
  return noChunks;
}

/** A row of the table with its chunks, as a record. */
export function toRecord(
  table: RequestTable,
  row: number,
  chunks: Float64Array,
  words: Words | undefined,
): RequestRecord {
  const stamp = (name: StampName) => table.stamps[name][row] ?? Number.NaN;
  const time = (name: StampName) => (Number.isNaN(stamp(name)) ? null : stamp(name));
  const count = (name: CountName) => {
    const value = table.counts[name][row] ?? -1;
    return value < 0 ? null : value;
  };
  const outcome: Outcome = outcomes[count('outcome') ?? -1] ?? 'cancelled';
  return {
    index: row,
    due_ms: time('due'),
    started_ms: stamp('started'),
    written_ms: stamp('written'),
    headers_ms: time('headers'),
    first_byte_ms: time('firstByte'),
    first_content_ms: time('firstContent'),
    first_reasoning_ms: time('firstReasoning'),
    chunks_ms: chunks,
    done_ms: time('done'),
    closed_ms: stamp('closed'),
    status: count('status'),
    outcome,
    outcome_detail: words?.detail ?? null,
    prompt_tokens: count('promptTokens'),
    output_tokens: count('outputTokens'),
    stated_tokens: count('statedTokens'),
    cached_tokens: count('cachedTokens'),
    chunk_count: chunks.length,
    finish_reason: words?.finishReason ?? null,
    reused_connection: count('isReused') === 1,
    retried: count('isRetried') === 1,
  };
}

/**
 * Puts together what the threads recorded. Null: the run was cancelled before it began. No header's value appears in the
 * words of a request.
 */
export function assembleRecord(
  table: RequestTable,
  run: FinishedRun | null,
  headers: Readonly<Record<string, string>>,
): LoadRecord {
  const results = run?.results ?? [];
  const secrets = secretsOf(headers);
  const words = new Map<number, Words>();
  for (const result of results) {
    for (const { row, detail, finishReason } of result.words)
      words.set(row, { detail: tidy(detail, secrets), finishReason: tidy(finishReason, secrets) });
  }
  const requests: RequestRecord[] = [];
  for (let row = 0; row < table.rows; row++) {
    if ((table.counts.outcome[row] ?? -1) < 0) continue;
    requests.push(toRecord(table, row, chunksOf(results, row), words.get(row)));
  }
  const durationMs = requests.reduce((end, { closed_ms }) => (closed_ms > end ? closed_ms : end), 0);
  const gaps = pooledGaps(requests.filter(({ outcome }) => outcome === 'ok').map(({ chunks_ms }) => chunks_ms));
  const [median] = percentilesOf(gaps, [50]) ?? [];
  const sum = gaps.reduce((total, gap) => total + gap, 0);
  const self = checkSelf(
    results.map(({ meter }) => meter),
    table,
    {
      connectionsOpened: results.reduce((sum, { connectionsOpened }) => sum + connectionsOpened, 0),
      itl: median === undefined ? null : { medianMs: median, readMs: positiveMedian(gaps), meanMs: sum / gaps.length },
    },
  );
  return {
    requests,
    self,
    ...(results.some(({ hasDocuments }) => hasDocuments) && { documents: true as const }),
    simulated: results.some(({ isSimulated }) => isSimulated),
    given_up: results.some(({ isFailing }) => isFailing),
    started_at_unix_ms: run?.startedUnixMs ?? Date.now(),
    started_at_monotonic_ms: run?.startedMonotonicMs ?? Number(process.hrtime.bigint()) / 1e6,
    duration_ms: durationMs,
  };
}
