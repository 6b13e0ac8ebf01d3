import { z } from 'zod';
import { quantizationHint } from '../../catalogue/names/quantization-hint.ts';
import { type Adapter, noRemarks } from '../adapter.ts';
import { unreadable } from '../errors.ts';
import { toPlainText } from '../plain-facts.ts';
import {
  countNames,
  hasAny,
  type JsonRecord,
  recordFinder,
  toClaims,
  within,
} from '../reading/documents/json-records.ts';
import { parseAt } from '../reading/documents/zod-faults.ts';
import { countRepetitions } from '../reading/figures/repetitions.ts';
import { type ReadOne, readEach } from '../reading/tables/read-each.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { findAt } from '../reading/text/by-line.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import { inProcessSystem } from './arguments.ts';
import { findOneBatchBlocks, type OneBatchBlock, readOneBatchBlock } from './one-batch-console.ts';
import { toOneBatchResult } from './one-batch-run.ts';

const id = 'sglang-bench-one-batch';
const name = 'sglang bench_one_batch';

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
  // Missing if only the first token was requested.
  median_decode_latency: figure.optional(),
  median_decode_throughput: figure.optional(),
  total_latency: z.number().positive(),
  overall_throughput: figure,
});

const known = new Set(Object.keys(RecordSchema.shape));
const required = ['run_name', 'batch_size', 'input_len', 'output_len', 'prefill_latency', 'total_latency'];

const findRecords = recordFinder((value) => {
  // Distinguishes it from the tool that measures a server, which writes `latency` and `output_throughput`.
  if (!hasAny(value, ['prefill_latency', 'median_decode_latency'])) return null;
  const found = countNames(value, required);
  return found === required.length ? 'whole' : found >= 3 ? 'likely' : null;
});

/** Repetition number of a record within its point, counted over the whole artifact. */
const repetitionsOf = cachedPerArtifact((artifact) =>
  countRepetitions(findRecords(artifact), ({ value: { run_name: name, batch_size, input_len, output_len } }) =>
    JSON.stringify([quantizationHint(String(name)) ?? name, batch_size, input_len, output_len]),
  ),
);

function readRecord({ value, from, to }: JsonRecord, repetition: number): ReadOne {
  const record = parseAt(RecordSchema, value, from);
  const result = toOneBatchResult({
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
  });
  return { result, ignored: Object.keys(record).filter((key) => !known.has(key)) };
}

function readBlock(artifact: ArtifactText, block: OneBatchBlock): ReadOne {
  const message = `The batch on line ${block.from} is the warm-up: nothing was measured.`;
  if (block.isWarmup) throw unreadable(block.from, 'nothing_measured', message);
  return { result: toOneBatchResult(readOneBatchBlock(artifact, block)), ignored: [] };
}

/**
 * SGLang's `bench_one_batch`: one static batch in the benchmark's process, without server, queue or network. Reads its JSON
 * lines and its console output. The first token is the prefill of the batch, TPOT the median of its decoding steps.
 *
 * Written by https://github.com/sgl-project/sglang/blob/main/python/sglang/bench_one_batch.py (`latency_test_run_once`).
 */
export const sglangBenchOneBatch: Adapter = {
  id,
  title: name,
  kind: 'serving',
  recognises:
    'JSON lines with run_name, batch_size, prefill_latency and total_latency, or lines "Prefill. latency:" to "Total. latency:"',
  command: 'python -m sglang.bench_one_batch --model-path MODEL --result-filename result.jsonl',
  detect: (artifact) => [
    ...toClaims(id, findRecords(artifact)),
    ...findOneBatchBlocks(artifact).map(({ from, to }) => ({ adapter: id, from, to })),
  ],
  read: (artifact, claim) => {
    const { found } = findAt(findOneBatchBlocks(artifact), claim.from);
    const repetitions = repetitionsOf(artifact);
    const read =
      found !== null
        ? readEach([found], claim.from, (block) => readBlock(artifact, block))
        : readEach(within(findRecords(artifact), claim), claim.from, (record) =>
            readRecord(record, repetitions.get(record) ?? 1),
          );
    return { tool: { name, version: null }, ...read, ...noRemarks };
  },
};
