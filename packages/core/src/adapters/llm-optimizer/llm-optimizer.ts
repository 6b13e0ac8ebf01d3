import type { Fault } from '../../errors.ts';
import { type Adapter, type Claim, type Fact, noRemarks, type ParsedResult, type SystemFacts } from '../adapter.ts';
import { ArtifactError, unreadable } from '../errors.ts';
import { checkMeasured } from '../reading/block-figures.ts';
import {
  hasAll,
  isObject,
  type JsonObject,
  type JsonRecord,
  recordFinder,
  toClaims,
  within,
} from '../reading/json-records.ts';
import { modelFacts } from '../reading/model-name.ts';
import { readEach } from '../reading/read-each.ts';
import { remembered } from '../reading/remembered.ts';
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

/** What its planner prints: a roofline, and no request was ever sent. */
const heading = /^\s{0,20}=== Performance Analysis ===\s*$/;
const verdict = /^\s{0,20}Best (?:Latency|Throughput) \(concurrency=\d{1,6}\):/;

/** A plan has both its heading and its verdict: either alone is prose. */
const findPlans = remembered((artifact): Claim[] => {
  const plans: Claim[] = [];
  for (const from of artifact.linesWith('=== Performance Analysis ===')) {
    const text = artifact.lineAt(from);
    if (text.length > 200 || !heading.test(text)) continue;
    const next = artifact.lines.slice(from, from + 39).findIndex((line) => verdict.test(line));
    if (next >= 0) plans.push({ adapter: id, from, to: from + 1 + next });
  }
  // Headings one after another share a verdict.
  const apart = plans.filter((plan, index) => plan.from > (plans[index - 1]?.to ?? 0));
  return apart;
});

/** Facts of the results that are read here. */
const used = new Set(['backend', 'dataset_name', 'request_rate', 'max_concurrency', 'num_prompts']);

function textAt(fields: JsonObject, key: string): string | null {
  const value = Object.hasOwn(fields, key) ? fields[key] : null;
  return typeof value === 'string' && value !== '' && value.length <= 300 ? value : null;
}

/** A number above 0: -1 stands for what is not known. */
function positiveAt(fields: JsonObject, key: string): number | null {
  const value = Object.hasOwn(fields, key) ? fields[key] : null;
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : null;
}

const inside = (fields: JsonObject, key: string): JsonObject => {
  const value = Object.hasOwn(fields, key) ? fields[key] : null;
  return isObject(value) ? value : {};
};

/** Requests per second asked for; null without a limit. */
function rateOf(client: JsonObject, results: JsonObject): number | null | 'trace' {
  if ([client.request_rate, results.request_rate].includes('trace')) return 'trace';
  return positiveAt(client, 'request_rate') ?? positiveAt(results, 'request_rate');
}

/** The system: the server's arguments are those of its engine, and the metadata names the rest. */
function toSystemFacts(backend: string | null, server: JsonObject, metadata: JsonObject): SystemFacts {
  const fact = <T>(value: T | null): Fact<T> | null => (value === null ? null : { value, origin: 'stated' });
  const isSglang = backend?.startsWith('sglang') ?? false;
  const told = isSglang ? sglangSystem(sglangArguments(server), 'stated') : toSystem(argumentsOf(server), 'stated');
  const named = modelFacts(textAt(metadata, 'model_tag'), 'stated');
  const gpus = positiveAt(metadata, 'gpu_count');
  return {
    ...told,
    model: named.model ?? told.model,
    quantization: told.quantization?.origin === 'stated' ? told.quantization : named.quantization,
    gpu: fact(textAt(metadata, 'gpu_type')),
    gpuCount: Number.isSafeInteger(gpus) ? fact(gpus) : told.gpuCount,
    // Any engine answers to the protocol of OpenAI.
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
  });
  const isConstrained = Array.isArray(value.constraints) && value.constraints.length > 0;
  return { result, ignored: [...ignored.filter((key) => !used.has(key)), ...(isConstrained ? ['constraints'] : [])] };
}

/**
 * The runs of `llm-optimizer`, one line each: which arguments a server had, what SGLang's client measured of it, and on
 * which GPUs. The tool's estimates are computed from a roofline and are refused.
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
