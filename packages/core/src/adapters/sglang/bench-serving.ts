import type { Fault } from '../../errors.ts';
import { type Adapter, type Claim, noRemarks, type ParsedResult } from '../adapter.ts';
import { ArtifactError, addFaults, maxFaults } from '../errors.ts';
import { tellIgnored } from '../plain-facts.ts';
import type { ArtifactText } from '../reading/artifact-text.ts';
import { findAt } from '../reading/by-line.ts';
import { recordFinder, toClaims, within } from '../reading/json-records.ts';
import { findServingBlocks } from '../reading/serving-block.ts';
import { readConsoleRun } from './serving-console.ts';
import { readJsonRun, servingLikeness } from './serving-json.ts';
import { type ServingRun, toServingResult } from './serving-run.ts';

const id = 'sglang-bench-serving';
const findRecords = recordFinder(servingLikeness);

function readRuns(artifact: ArtifactText, claim: Claim): { run: ServingRun; ignored: string[] }[] {
  const { found, before } = findAt(findServingBlocks(artifact), claim.from);
  if (found !== null) return [readConsoleRun(artifact, found, (before?.to ?? 0) + 1)];
  const runs: { run: ServingRun; ignored: string[] }[] = [];
  const faults: Fault[] = [];
  for (const record of within(findRecords(artifact), claim)) {
    if (faults.length >= maxFaults) break;
    try {
      runs.push(readJsonRun(record));
    } catch (error) {
      if (!(error instanceof ArtifactError)) throw error;
      addFaults(faults, error.faults);
    }
  }
  if (faults.length > 0) throw new ArtifactError(faults);
  return runs;
}

/**
 * SGLang's `bench_serving`: the JSON lines of `--output-file` and the console block, with the command line before it where
 * that is there. TTFT counts from sending, TPOT leaves the first token out; ITL is per token for SGLang's own protocol and
 * per chunk for the others. Input throughput is prompt tokens over the whole run and no prefill speed.
 *
 * Written by https://github.com/sgl-project/sglang/blob/main/python/sglang/bench_serving.py (function `benchmark`).
 */
export const sglangBenchServing: Adapter = {
  id,
  title: 'sglang bench_serving',
  kind: 'serving',
  recognises:
    'JSON lines with backend, dataset_name, duration and completed, or a console block "Serving Benchmark Result" with its Backend inside',
  command: 'python -m sglang.bench_serving --model MODEL --output-file result.jsonl',
  detect: (artifact) => [
    ...toClaims(id, findRecords(artifact)),
    ...findServingBlocks(artifact)
      .filter((block) => block.owner === 'sglang')
      .map(({ from, to }) => ({ adapter: id, from, to })),
  ],
  read: (artifact, claim) => {
    const runs = readRuns(artifact, claim);
    const results: ParsedResult[] = runs.map(({ run }) => toServingResult(run));
    const ignored = new Set(runs.flatMap((each) => each.ignored));
    // The tool is released with the engine: the server's version is the client's only by custom.
    return {
      tool: { name: 'sglang bench_serving', version: null },
      results,
      ignored: tellIgnored(ignored),
      ...noRemarks,
    };
  },
};
