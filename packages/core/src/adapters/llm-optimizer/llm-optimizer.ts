import type { Fault } from '../../errors.ts';
import { type Adapter, type Claim, type Fact, noRemarks, type ParsedResult, type SystemFacts } from '../adapter.ts';
import { ArtifactError, unreadable } from '../errors.ts';
import { modelFacts } from '../reading/context/model-name.ts';
import {
  hasAll,
  isObject,
  type JsonObject,
  type JsonRecord,
  recordFinder,
  toClaims,
  within,
} from '../reading/documents/json-records.ts';
import { checkMeasured } from '../reading/figures/block-figures.ts';
import { readEach } from '../reading/tables/read-each.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import { argumentsOf as sglangArguments, systemOf as sglangSystem } from '../sglang/arguments.ts';
import { readFigures } from '../sglang/serving-json.ts';
import { toServingResult } from '../sglang/serving-run.ts';
import { argumentsOf, toSystem } from '../vllm/arguments.ts';

const id = 'llm-optimizer';

const findRuns = recordFinder((value) =>
  hasAll(value, ['config', 'results', 'cmd']) &&
  isObject(value.results) &&
  isObject(value.config) &&
  isObject(value.config.client_args)
    ? 'whole'
    : null,
);

/** The output of its planner: a roofline estimate without any request. */
const heading = /^\s{0,20}=== Performance Analysis ===\s*$/;
const verdict = /^\s{0,20}Best (?:Latency|Throughput) \(concurrency=\d{1,6}\):/;

/** A plan has both its heading and its verdict; either alone is prose. */
const findPlans = cachedPerArtifact((artifact): Claim[] => {
  const plans: Claim[] = [];
  for (const from of artifact.linesWith('=== Performance Analysis ===')) {
    const text = artifact.lineAt(from);
    if (text.length > 200 || !heading.test(text)) continue;
    const next = artifact.lines.slice(from, from + 39).findIndex((line) => verdict.test(line));
    if (next >= 0) plans.push({ adapter: id, from, to: from + 1 + next });
  }
  // Consecutive headings share a verdict.
  const apart = plans.filter((plan, index) => plan.from > (plans[index - 1]?.to ?? 0));
  return apart;
});

/** Facts that are read from the results. */
const used = new Set(['backend', 'dataset_name', 'request_rate', 'max_concurrency', 'num_prompts']);

function textAt(fields: JsonObject, key: string): string | null {
  const value = Object.hasOwn(fields, key) ? fields[key] : null;
  return typeof value === 'string' && value !== '' && value.length <= 300 ? value : null;
}

/** A number above 0; -1 means unknown. */
function positiveAt(fields: JsonObject, key: string): number | null {
  const value = Object.hasOwn(fields, key) ? fields[key] : null;
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : null;
}

const inside = (fields: JsonObject, key: string): JsonObject => {
  const value = Object.hasOwn(fields, key) ? fields[key] : null;
  return isObject(value) ? value : {};
};

/** Requested requests per second; null without a limit. */
function rateOf(client: JsonObject, results: JsonObject): number | null | 'trace' {
  if ([client.request_rate, results.request_rate].includes('trace')) return 'trace';
  return positiveAt(client, 'request_rate') ?? positiveAt(results, 'request_rate');
}

/** The system: the server's arguments are those of its engine, and the metadata states the rest. */
function toSystemFacts(backend: string | null, server: JsonObject, metadata: JsonObject): SystemFacts {
  const fact = <T>(value: T | null): Fact<T> | null => (value === null ? null : { value, origin: 'stated' });
  const isSglang = backend?.startsWith('sglang') ?? false;
  const stated = isSglang ? sglangSystem(sglangArguments(server), 'stated') : toSystem(argumentsOf(server), 'stated');
  const named = modelFacts(textAt(metadata, 'model_tag'), 'stated');
  const gpus = positiveAt(metadata, 'gpu_count');
  return {
    ...stated,
    model: named.model ?? stated.model,
    quantization: stated.quantization?.origin === 'stated' ? stated.quantization : named.quantization,
    gpu: fact(textAt(metadata, 'gpu_type')),
    gpuCount: Number.isSafeInteger(gpus) ? fact(gpus) : stated.gpuCount,
    // Every engine supports the OpenAI protocol.
    engine: isSglang ? fact('sglang') : fact(backend?.startsWith('openai') ? null : backend),
  };
}

function readRun({ value, from, to }: JsonRecord): { result: ParsedResult; ignored: string[] } {
  const faults: Fault[] = [];
  const results = inside(value, 'results');
  const client = inside(inside(value, 'config'), 'client_args');
  const metadata = inside(value, 'metadata');
  const { metrics, extra, ignored } = readFigures(results, from, faults, '/results');
  if (faults.length > 0) throw new ArtifactError(faults);
  const sent = positiveAt(client, 'num_prompts') ?? positiveAt(results, 'num_prompts');
  checkMeasured(metrics, from, sent);
  const backend = textAt(results, 'backend');
  const result = toServingResult({
    from,
    to,
    isClosed: true,
    backend,
    requestRate: rateOf(client, results),
    maxConcurrency: positiveAt(client, 'max_concurrency') ?? positiveAt(results, 'max_concurrency'),
    sent,
    figures: { metrics, extra },
    system: toSystemFacts(backend, inside(inside(value, 'config'), 'server_args'), metadata),
    dataset: textAt(client, 'dataset_name') ?? textAt(results, 'dataset_name'),
    inputTokens: positiveAt(metadata, 'input_tokens'),
    outputTokens: positiveAt(metadata, 'output_tokens'),
    origin: 'stated',
    requests: null,
    notes: [],
  });
  const isConstrained = Array.isArray(value.constraints) && value.constraints.length > 0;
  return { result, ignored: [...ignored.filter((key) => !used.has(key)), ...(isConstrained ? ['constraints'] : [])] };
}

/**
 * The runs of `llm-optimizer`, one per line: the server's arguments, the measurement by SGLang's client, and the GPUs. The
 * tool's roofline estimates are rejected.
 *
 * Written by https://github.com/bentoml/llm-optimizer
 */
export const llmOptimizer: Adapter = {
  id,
  title: id,
  kind: 'serving',
  recognises: 'JSON objects with config.client_args, results and cmd',
  command: 'llm-optimizer --framework vllm --model MODEL --client-args "..." --output-json result.jsonl',
  detect: (artifact) => [...toClaims(id, findRuns(artifact)), ...findPlans(artifact)],
  read: (artifact, claim) => {
    if (findPlans(artifact).some(({ from }) => from === claim.from)) {
      const message = `The estimate that begins on line ${claim.from} was computed, not measured.`;
      throw unreadable(claim.from, 'not_measured', message, 'Send the file of a run that sent requests.');
    }
    const read = readEach(within(findRuns(artifact), claim), claim.from, readRun);
    return { tool: { name: id, version: null }, ...read, ...noRemarks };
  },
};
