import { type Adapter, type Claim, noRemarks, type Reading } from '../adapter.ts';
import { hasAll, isObject, recordFinder, toClaims, within } from '../reading/documents/json-records.ts';
import { readEach } from '../reading/tables/read-each.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { findAt } from '../reading/text/by-line.ts';
import { findConsoleBlocks, isPrintedAgain, readConsoleBlock } from './inference-benchmark-console.ts';
import { isPooled, readBenchmarkRecord, runOf } from './inference-benchmark-record.ts';

const id = 'ai-hypercomputer-inference-benchmark';
const tool = { name: 'AI-Hypercomputer inference-benchmark', version: null };
const ofAll = 'the file of all requests, in addition to that of the model';

const findRecords = recordFinder(({ metrics, dimensions }) =>
  isObject(metrics) && isObject(dimensions) && hasAll(metrics, ['num_prompts_attempted', 'num_prompts_succeeded'])
    ? 'whole'
    : null,
);

function readBlock(artifact: ArtifactText, claim: Claim): Reading | null {
  const { found } = findAt(findConsoleBlocks(artifact), claim.from);
  if (found === null) return null;
  if (isPrintedAgain(artifact, found)) return { tool, results: [], ignored: [ofAll], ...noRemarks };
  const { result, ignored } = readConsoleBlock(artifact, found);
  return { tool, results: [result], ignored, ...noRemarks };
}

function readRecords(artifact: ArtifactText, claim: Claim): Reading {
  const records = within(findRecords(artifact), claim);
  const named = new Set(records.filter((record) => !isPooled(record)).map(runOf));
  const isRepeated = (record: (typeof records)[number]) => isPooled(record) && named.has(runOf(record));
  const { results, ignored } = readEach(records, claim.from, (record) => {
    if (isRepeated(record)) return null;
    const { figures, result } = readBenchmarkRecord(record);
    return { result, ignored: figures.ignored, faults: figures.faults };
  });
  const pooled = records.some(isRepeated) ? [ofAll] : [];
  return { tool, results, ignored: [...pooled, ...ignored], ...noRemarks };
}

/**
 * AI-Hypercomputer's `benchmark_serving.py` (before 2025 in ai-on-gke): console output and result files, one for all
 * requests and one for each model. If a submission has both files and the run used a single model, the file for all requests
 * is skipped. The output does not name the accelerator.
 *
 * Written by https://github.com/AI-Hypercomputer/inference-benchmark/blob/main/benchmark_serving.py
 */
export const aiHypercomputerInferenceBenchmark: Adapter = {
  id,
  title: 'AI-Hypercomputer inference-benchmark',
  kind: 'serving',
  recognises:
    'a JSON report with dimensions, and metrics.num_prompts_attempted and num_prompts_succeeded, or lines "Successful/total requests: N/N" and "Output_tokens/min: N"',
  command: 'python benchmark_serving.py --backend vllm --models MODEL --stream-request --save-json-results',
  detect: (artifact) => [
    ...toClaims(id, findRecords(artifact)),
    ...findConsoleBlocks(artifact).map(({ from, to }) => ({ adapter: id, from, to })),
  ],
  read: (artifact, claim) => readBlock(artifact, claim) ?? readRecords(artifact, claim),
};
