import { z } from 'zod';
import { quantizationHint } from '../../catalogue/quantization-hint.ts';
import type { Fault } from '../../errors.ts';
import { type Adapter, type Claim, noRemarks } from '../adapter.ts';
import { ArtifactError, addFaults, maxFaults } from '../errors.ts';
import { tellIgnored, toPlainText } from '../plain-facts.ts';
import type { ArtifactText } from '../reading/artifact-text.ts';
import { findAt } from '../reading/by-line.ts';
import { countNames, hasAny, recordFinder, toClaims, within } from '../reading/json-records.ts';
import { remembered } from '../reading/remembered.ts';
import { toFaults } from '../reading/zod-faults.ts';
import { inProcessSystem } from './arguments.ts';
import { findOneBatchBlocks, readOneBatchBlock } from './one-batch-console.ts';
import { type OneBatchRun, toOneBatchResult } from './one-batch-run.ts';

const id = 'sglang-bench-one-batch';

/** A measured figure: NaN and infinities are missing. */
const figure = z.preprocess(
  (value) => (typeof value === 'number' && !Number.isFinite(value) ? null : value),
  z.number().nonnegative().nullable(),
);
const count = z.number().int().positive();

const RecordSchema = z.looseObject({
  run_name: z.string().max(200).transform(toPlainText),
  batch_size: count,
  input_len: z.number().int().nonnegative(),
  output_len: count,
  prefill_latency: z.number().positive(),
  prefill_throughput: figure,
  // Missing where nothing but the first token was asked for.
  median_decode_latency: figure.optional(),
  median_decode_throughput: figure.optional(),
  total_latency: z.number().positive(),
  overall_throughput: figure,
});

const known = new Set(Object.keys(RecordSchema.shape));
const required = ['run_name', 'batch_size', 'input_len', 'output_len', 'prefill_latency', 'total_latency'];

const findRecords = recordFinder((value) => {
  // What tells it from the tool that asks a server, which writes `latency` and `output_throughput`.
  if (!hasAny(value, ['prefill_latency', 'median_decode_latency'])) return null;
  const told = countNames(value, required);
  return told === required.length ? 'whole' : told >= 3 ? 'likely' : null;
});

type Read = { run: OneBatchRun; ignored: string[] };
/** All records by the line they stand on: which repetition one is depends on those before it. */
const readAll = remembered((artifact): Map<number, { runs: Read[]; faults: Fault[] }> => {
  const byLine = new Map<number, { runs: Read[]; faults: Fault[] }>();
  const seen = new Map<string, number>();
  let faults = 0;
  for (const { value, from, to } of findRecords(artifact)) {
    if (faults >= maxFaults) break;
    const entry = byLine.get(from) ?? { runs: [], faults: [] };
    byLine.set(from, entry);
    const parsed = RecordSchema.safeParse(value);
    if (!parsed.success) {
      const told = toFaults(parsed.error, from);
      addFaults(entry.faults, told);
      faults += told.length;
      continue;
    }
    const record = parsed.data;
    const name = quantizationHint(record.run_name) ?? record.run_name;
    const point = JSON.stringify([name, record.batch_size, record.input_len, record.output_len]);
    const repetition = (seen.get(point) ?? 0) + 1;
    seen.set(point, repetition);
    const run: OneBatchRun = {
      from,
      to,
      runName: record.run_name,
      batch: record.batch_size,
      inputTokens: record.input_len,
      outputTokens: record.output_len,
      prefillS: record.prefill_latency,
      prefillTokS: record.prefill_throughput,
      stepS: record.median_decode_latency ?? null,
      decodeTokS: record.median_decode_throughput ?? null,
      totalS: record.total_latency,
      totalTokS: record.overall_throughput,
      system: inProcessSystem(null),
      origin: 'stated',
      repetition,
      isClosed: true,
    };
    entry.runs.push({ run, ignored: Object.keys(record).filter((key) => !known.has(key)) });
  }
  return byLine;
});

function readRecords(artifact: ArtifactText, claim: Claim): Read[] {
  const byLine = readAll(artifact);
  const lines = new Set(within(findRecords(artifact), claim).map(({ from }) => from));
  const faults: Fault[] = [];
  const runs: Read[] = [];
  for (const line of lines) {
    const entry = byLine.get(line);
    addFaults(faults, entry?.faults ?? []);
    for (const run of entry?.runs ?? []) runs.push(run);
  }
  if (faults.length > 0) throw new ArtifactError(faults);
  return runs;
}

function readBlock(artifact: ArtifactText, claim: Claim): Read[] | null {
  const { found } = findAt(findOneBatchBlocks(artifact), claim.from);
  if (found === null) return null;
  if (found.isWarmup) {
    const message = `The batch on line ${found.from} is the warm-up: nothing was measured.`;
    throw new ArtifactError([{ code: 'nothing_measured', line: found.from, message }]);
  }
  return [{ run: readOneBatchBlock(artifact, found), ignored: [] }];
}

/**
 * SGLang's `bench_one_batch`: one static batch inside the benchmark's own process, without server, queue or network; its
 * JSON lines and what it prints. The first token is the prefill of the batch, TPOT the median of its decoding steps.
 *
 * Written by https://github.com/sgl-project/sglang/blob/main/python/sglang/bench_one_batch.py (`latency_test_run_once`).
 */
export const sglangBenchOneBatch: Adapter = {
  id,
  title: 'sglang bench_one_batch',
  kind: 'serving',
  recognises:
    'JSON lines with run_name, batch_size, prefill_latency and total_latency, or lines "Prefill. latency:" to "Total. latency:"',
  command: 'python -m sglang.bench_one_batch --model-path MODEL --result-filename result.jsonl',
  detect: (artifact) => [
    ...toClaims(id, findRecords(artifact)),
    ...findOneBatchBlocks(artifact).map(({ from, to }) => ({ adapter: id, from, to })),
  ],
  read: (artifact, claim) => {
    const runs = readBlock(artifact, claim) ?? readRecords(artifact, claim);
    const ignored = new Set(runs.flatMap((each) => each.ignored));
    const results = runs.map(({ run }) => toOneBatchResult(run));
    return {
      tool: { name: 'sglang bench_one_batch', version: null },
      results,
      ignored: tellIgnored(ignored),
      ...noRemarks,
    };
  },
};
