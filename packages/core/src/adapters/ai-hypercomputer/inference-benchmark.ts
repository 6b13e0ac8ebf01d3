import { type Adapter, noRemarks } from '../adapter.ts';
import { hasAll, isObject, recordFinder, toClaims, within } from '../reading/json-records.ts';
import { readEach } from '../reading/read-each.ts';
import { isPooled, readBenchmarkRecord, runOf } from './inference-benchmark-record.ts';

const id = 'ai-hypercomputer-inference-benchmark';

const findRecords = recordFinder(({ metrics, dimensions }) =>
  isObject(metrics) && isObject(dimensions) && hasAll(metrics, ['num_prompts_attempted', 'num_prompts_succeeded'])
    ? 'whole'
    : null,
);

/**
 * The result files of AI-Hypercomputer's `benchmark_serving.py`: one of all requests and one of each model. Both are sent
 * and only one model was asked, so the file of all is left out beside the other. Nothing tells the accelerator.
 *
 * Written by https://github.com/AI-Hypercomputer/inference-benchmark/blob/main/benchmark_serving.py
 */
export const aiHypercomputerInferenceBenchmark: Adapter = {
  id,
  title: 'AI-Hypercomputer inference-benchmark',
  kind: 'serving',
  recognises: 'a JSON report with dimensions, and metrics.num_prompts_attempted and num_prompts_succeeded',
  command: 'python benchmark_serving.py --backend vllm --models MODEL --stream-request --save-json-results',
  detect: (artifact) => toClaims(id, findRecords(artifact)),
  read: (artifact, claim) => {
    const records = within(findRecords(artifact), claim);
    const named = new Set(records.filter((record) => !isPooled(record)).map(runOf));
    const isTold = (record: (typeof records)[number]) => isPooled(record) && named.has(runOf(record));
    const { results, ignored } = readEach(records, claim.from, (record) => {
      if (isTold(record)) return null;
      const { figures, result } = readBenchmarkRecord(record);
      return { result, ignored: figures.ignored, faults: figures.faults };
    });
    const pooled = records.some(isTold) ? ['the file of all requests, beside that of the model'] : [];
    const name = 'AI-Hypercomputer inference-benchmark';
    return { tool: { name, version: null }, results, ignored: [...pooled, ...ignored], ...noRemarks };
  },
};
