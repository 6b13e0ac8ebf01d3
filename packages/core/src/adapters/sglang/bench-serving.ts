import type { Adapter } from '../adapter.ts';
import { blocksAndRecords } from '../reading/documents/blocks-and-records.ts';
import { recordFinder } from '../reading/documents/json-records.ts';
import { findServingBlocks } from '../reading/figures/serving-block.ts';
import { withServer } from '../serving/server-command.ts';
import { readConsoleRun } from './serving-console.ts';
import { readJsonRun, servingLikeness } from './serving-json.ts';
import { type ServingRun, toServingResult } from './serving-run.ts';

const id = 'sglang-bench-serving';
const name = 'sglang bench_serving';

const toRead = ({ run, ignored }: { run: ServingRun; ignored: string[] }) => ({
  result: toServingResult(run),
  ignored,
});

/**
 * SGLang's `bench_serving`: the JSON lines of `--output-file`, and the console block with its command line if present. TTFT
 * counts from sending; TPOT excludes the first token. ITL is per token for SGLang's own protocol and per chunk for the
 * others. Input throughput is prompt tokens over the whole run, not a prefill speed.
 *
 * Written by https://github.com/sgl-project/sglang/blob/main/python/sglang/bench_serving.py (function `benchmark`).
 */
export const sglangBenchServing: Adapter = {
  id,
  title: name,
  kind: 'serving',
  recognises:
    'JSON lines with backend, dataset_name, duration and completed, or a console block "Serving Benchmark Result" with its Backend inside',
  command: 'python -m sglang.bench_serving --model MODEL --output-file result.jsonl',
  // The tool is released with the engine. Its version is usually, but not necessarily, the server's.
  ...blocksAndRecords({
    id,
    name,
    findBlocks: findServingBlocks,
    isOurs: ({ owner }) => owner === 'sglang',
    readBlock: (artifact, block) => {
      const { result, ignored } = toRead(readConsoleRun(artifact, block));
      return { result: withServer(result, artifact, block), ignored };
    },
    findRecords: recordFinder(servingLikeness),
    readRecord: (record) => toRead(readJsonRun(record)),
  }),
};
