import type { Adapter } from '../adapter.ts';
import { maxResults, tooManyResults } from '../errors.ts';
import { type JsonRecord, recordFinder, toClaims, within } from '../reading/documents/json-records.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import { vllmLikeness } from './keys.ts';
import { findCopies, readServingRecords } from './serve-results.ts';

const id = 'vllm-bench-serve-json';
const findRecords = recordFinder(vllmLikeness);

const toFields = ({ value, from, to }: JsonRecord) => ({ fields: value, from, to });
const copiesIn = cachedPerArtifact((artifact) => findCopies(findRecords(artifact).map(toFields)));

/**
 * The result file of `vllm bench serve --save-result`, of its predecessor `benchmark_serving.py` and of `vllm bench sweep
 * serve`: an object, one per line, or an array. With `--save-detailed` it contains all requests. ITL is the gap between
 * stream chunks, TPOT excludes the first token, and TTFT counts from sending.
 *
 * Written by https://github.com/vllm-project/vllm/blob/main/vllm/benchmarks/serve.py (function `main_async`).
 */
export const vllmBenchServeJson: Adapter = {
  id,
  title: 'vllm bench serve (result file)',
  kind: 'serving',
  recognises: 'JSON objects with num_prompts, model_id or endpoint_type, and completed with duration or mean_ttft_ms',
  command: 'vllm bench serve --model MODEL --save-result',
  detect: (artifact) => toClaims(id, findRecords(artifact)),
  read: (artifact, claim) => {
    const records = within(findRecords(artifact), claim);
    if (records.length > maxResults) throw tooManyResults(claim.from);
    return readServingRecords(artifact, records.map(toFields), copiesIn(artifact));
  },
};
