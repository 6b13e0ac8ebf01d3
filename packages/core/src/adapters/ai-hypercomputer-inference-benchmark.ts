import type { Fault } from '../errors.ts';
import { type Adapter, noRemarks, type ParsedResult } from './adapter.ts';
import { isPooled, readBenchmarkRecord, runOf } from './ai-hypercomputer-inference-benchmark-record.ts';
import { ArtifactError, addFaults, maxFaults, maxResults, tooManyResults } from './errors.ts';
import { tellIgnored } from './plain-facts.ts';
import { hasAll, isObject, recordFinder, toClaims, within } from './reading/json-records.ts';

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
    if (records.length > maxResults) throw tooManyResults(claim.from);
    const named = new Set(records.filter((record) => !isPooled(record)).map(runOf));
    const results: ParsedResult[] = [];
    const faults: Fault[] = [];
    const ignored = new Set<string>();
    for (const record of records) {
      if (faults.length >= maxFaults) break;
      if (isPooled(record) && named.has(runOf(record))) {
        ignored.add('the file of all requests, beside that of the model');
        continue;
      }
      const { figures, result } = readBenchmarkRecord(record);
      addFaults(faults, figures.faults);
      for (const name of figures.ignored) ignored.add(name);
      results.push(result);
    }
    if (faults.length > 0) throw new ArtifactError(faults);
    const name = 'AI-Hypercomputer inference-benchmark';
    return { tool: { name, version: null }, results, ignored: tellIgnored(ignored), ...noRemarks };
  },
};
