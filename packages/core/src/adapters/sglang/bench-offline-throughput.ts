import { z } from 'zod';
import type { Adapter } from '../adapter.ts';
import { ArtifactError } from '../errors.ts';
import { toPlainText } from '../plain-facts.ts';
import { readRunContexts } from '../reading/context/run-context.ts';
import { blocksAndRecords } from '../reading/documents/blocks-and-records.ts';
import { hasAll, type JsonRecord, recordFinder } from '../reading/documents/json-records.ts';
import { parseAt } from '../reading/documents/zod-faults.ts';
import type { ReadOne } from '../reading/tables/read-each.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import { inProcessSystem } from './arguments.ts';
import { findOfflineTexts, type OfflineText, readOfflineText } from './offline-console.ts';
import { type OfflineRun, toOfflineResult } from './offline-run.ts';

const id = 'sglang-bench-offline-throughput';
const name = 'sglang bench_offline_throughput';

const figure = z
  .preprocess((value) => (typeof value === 'number' && !Number.isFinite(value) ? null : value), z.number().nullable())
  .optional();
const word = z.string().max(200).transform(toPlainText).optional();
const count = z.number().int().nonnegative().optional();

const RecordSchema = z.looseObject({
  run_name: word,
  backend: word,
  successful_requests: count,
  total_latency: z.number().positive(),
  total_input_tokens: count,
  // -1 if the engine did not count them.
  total_output_tokens: z.number().int().gte(-1).optional(),
  request_throughput: figure,
  input_throughput: figure,
  output_throughput: figure,
  total_throughput: figure,
  last_gen_throughput: figure,
  throughput: figure,
});
const known = new Set(Object.keys(RecordSchema.shape));

const findRecords = recordFinder((value) => {
  if (Object.hasOwn(value, 'batch_size')) return null;
  if (hasAll(value, ['successful_requests', 'total_latency', 'last_gen_throughput'])) return 'whole';
  if (hasAll(value, ['run_name', 'total_latency', 'throughput'])) return 'whole';
  return hasAll(value, ['successful_requests', 'last_gen_throughput']) ? 'likely' : null;
});

const isOffline = ([program = '']: readonly string[]) =>
  /^(?:sglang\.bench_offline_throughput|sglang\.benchmark\.offline_throughput)$/.test(program) ||
  /(?:^|[/\\])bench_offline_throughput\.py$/.test(program);

const contextsIn = cachedPerArtifact((artifact) => readRunContexts(artifact, findOfflineTexts(artifact), isOffline));

function checkMeasured(run: OfflineRun): void {
  const { successful_requests: ok, total_latency, total_throughput, output_throughput, throughput } = run.figures;
  const hasRate = [total_latency, total_throughput, output_throughput, throughput].some((value) => (value ?? 0) > 0);
  if (ok !== 0 && hasRate) return;
  const message = ok === 0 ? '0 requests completed: nothing was measured.' : 'The report ends before its first rate.';
  throw new ArtifactError([{ code: ok === 0 ? 'nothing_measured' : 'block_cut', line: run.from, message }]);
}

function readText(artifact: ArtifactText, text: OfflineText): ReadOne {
  const { ignored, ...words } = readOfflineText(text);
  const context = contextsIn(artifact).get(text) ?? null;
  const asked = context?.number('num_prompts') ?? null;
  const run: OfflineRun = {
    from: text.from,
    to: text.to,
    isClosed: text.isClosed,
    ...words,
    asked: asked !== null && Number.isSafeInteger(asked) ? asked : null,
    system: inProcessSystem(context),
    dataset: context?.text('dataset_name') ?? null,
  };
  checkMeasured(run);
  return { result: toOfflineResult(run), ignored };
}

function readRecord({ value, from, to }: JsonRecord): ReadOne {
  const { run_name, backend, ...figures } = parseAt(RecordSchema, value, from);
  const run: OfflineRun = {
    from,
    to,
    isClosed: true,
    runName: run_name ?? null,
    backend: backend ?? null,
    figures,
    asked: null,
    system: inProcessSystem(null),
    dataset: null,
  };
  checkMeasured(run);
  return { result: toOfflineResult(run), ignored: Object.keys(value).filter((key) => !known.has(key)) };
}

/**
 * SGLang's `bench_offline_throughput`: all prompts are submitted at once to an engine in the benchmark's process. Reads its
 * JSON lines, its console block, and the Python dict that the version of November 2024 printed. It measures no latencies.
 *
 * Written by https://github.com/sgl-project/sglang/blob/main/python/sglang/bench_offline_throughput.py
 */
export const sglangBenchOfflineThroughput: Adapter = {
  id,
  title: name,
  kind: 'serving',
  recognises:
    'JSON lines with successful_requests, total_latency and last_gen_throughput, or a block "Offline Throughput Benchmark Result"',
  command: 'python -m sglang.bench_offline_throughput --model-path MODEL --result-filename result.jsonl',
  ...blocksAndRecords({ id, name, findBlocks: findOfflineTexts, readBlock: readText, findRecords, readRecord }),
};
