import type { Fault } from '../errors.ts';
import type { MetricName } from '../metrics/index.ts';
import { type Adapter, type Claim, type Fact, noRemarks, noScenario, type ParsedResult } from './adapter.ts';
import { ArtifactError, addFaults, maxFaults, maxResults, tooManyResults, unreadable } from './errors.ts';
import { tellIgnored } from './plain-facts.ts';
import type { ArtifactText } from './reading/artifact-text.ts';
import { checkMeasured } from './reading/block-figures.ts';
import {
  hasAll,
  isObject,
  type JsonObject,
  type JsonRecord,
  recordFinder,
  toClaims,
  within,
} from './reading/json-records.ts';
import { definitionsOf } from './reading/report-figures.ts';
import { sglangKey } from './sglang-serving-names.ts';
import { argumentsOf, modelFacts, toSystem } from './vllm-arguments.ts';
import { dropZeroFamilies, loadUnknown, toServingLoad, zeroIsMissing } from './vllm-serving.ts';

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
const planner = /^\s*(?:=== Performance Analysis ===|Best Latency \(concurrency=\d{1,6}\):)\s*$/;
const planned = /^\s*Best (?:Latency|Throughput) \(concurrency=\d{1,6}\):/;

const plansOf = new WeakMap<ArtifactText, Claim[]>();

/** A plan has both its heading and its verdict: either alone is prose. */
function findPlans(artifact: ArtifactText): Claim[] {
  if (!artifact.has('===')) return [];
  const known = plansOf.get(artifact);
  if (known !== undefined) return known;
  const plans: Claim[] = [];
  for (const [index, text] of artifact.lines.entries()) {
    if (text.length > 200 || !planner.test(text) || !text.includes('===')) continue;
    const next = artifact.lines.slice(index + 1, index + 40).findIndex((line) => planned.test(line));
    if (next >= 0) plans.push({ adapter: id, from: index + 1, to: index + 2 + next });
  }
  // Headings one after another share a verdict.
  const apart = plans.filter((plan, index) => plan.from > (plans[index - 1]?.to ?? 0));
  plansOf.set(artifact, apart);
  return apart;
}

const used = new Set(['backend', 'dataset_name', 'request_rate', 'max_concurrency', 'num_prompts']);
const families = ['ttft_ms', 'tpot_ms', 'itl_ms', 'e2e_ms'];

interface Figures {
  metrics: Map<MetricName, number>;
  extra: Record<string, number>;
  ignored: string[];
}

/** The figures of a run, under the keys of SGLang's serving benchmark. */
function readFigures(results: JsonObject, line: number, faults: Fault[]): Figures {
  const figures: Figures = { metrics: new Map(), extra: {}, ignored: [] };
  for (const [key, value] of Object.entries(results)) {
    const meaning = sglangKey(key);
    if (meaning.kind !== 'metric' && meaning.kind !== 'extra') {
      if (!used.has(key)) figures.ignored.push(key);
    } else if (typeof value === 'number' && value >= 0) {
      if (!Number.isFinite(value)) continue;
      if (meaning.kind === 'extra') figures.extra[meaning.name] = value + 0;
      else if (meaning.name !== 'req_s' || value > 0) figures.metrics.set(meaning.name, value + 0);
    } else if (value !== null) {
      const pointer = `/results/${key}`;
      const message = `${pointer}: expected a number that is not negative, or null`;
      faults.push({ code: 'value_invalid', line, pointer, message });
    }
  }
  return figures;
}

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

function readRun({ value, from, to }: JsonRecord): { result: ParsedResult; ignored: string[] } {
  const faults: Fault[] = [];
  const results = inside(value, 'results');
  const client = inside(inside(value, 'config'), 'client_args');
  const server = inside(inside(value, 'config'), 'server_args');
  const metadata = inside(value, 'metadata');
  const { metrics, extra, ignored } = readFigures(results, from, faults);
  if (faults.length > 0) throw new ArtifactError(faults);
  const sent = positiveAt(client, 'num_prompts');
  checkMeasured(metrics, from, sent);
  const bases = [...metrics.keys()].flatMap((name): [MetricName, string][] => {
    const base = families.find((family) => name.startsWith(`${family}_`));
    return base === undefined ? [] : [[name, base]];
  });
  const zero = dropZeroFamilies(metrics, new Map(bases));
  const rate = positiveAt(client, 'request_rate') ?? positiveAt(results, 'request_rate');
  const cap = positiveAt(client, 'max_concurrency') ?? positiveAt(results, 'max_concurrency');
  const { load, notes } = toServingLoad({ rate, cap, burstiness: 1, sent: sent ?? 0 }, metrics);
  const backend = textAt(results, 'backend');
  const dataset = textAt(client, 'dataset_name') ?? textAt(results, 'dataset_name');
  const system = toSystem(argumentsOf(server), 'stated');
  const named = modelFacts(textAt(metadata, 'model_tag'), 'stated');
  const fact = <T>(found: T | null): Fact<T> | null => (found === null ? null : { value: found, origin: 'stated' });
  const result: ParsedResult = {
    kind: 'serving',
    system: {
      ...system,
      model: named.model,
      quantization: system.quantization ?? named.quantization,
      gpu: fact(textAt(metadata, 'gpu_type')),
      gpuCount: fact(positiveAt(metadata, 'gpu_count')) ?? system.gpuCount,
      engine: fact(backend?.startsWith('sglang') ? 'sglang' : backend),
    },
    scenario: {
      ...noScenario,
      inputTokens: fact(positiveAt(metadata, 'input_tokens')),
      outputTokens: fact(positiveAt(metadata, 'output_tokens')),
      dataset: fact(dataset),
    },
    load,
    repetition: null,
    metrics: Object.fromEntries(metrics),
    definitions: definitionsOf(
      { line: from, metrics, extra, ignored: new Set(), faults },
      {
        ttft_ms: 'send_to_first_token',
        tpot_ms: 'without_first_token',
        // Only SGLang's own protocol tells how many tokens a chunk holds.
        itl_ms: backend === 'sglang' ? 'per_token' : 'per_chunk',
        e2e_ms: 'request',
      },
    ),
    repeats: null,
    requests: null,
    limits: null,
    extra,
    notes: [
      ...notes,
      ...(load === null ? [loadUnknown({}, 'The record does not tell how requests were sent.')] : []),
      ...[...zero].map(zeroIsMissing),
    ],
    measuredAt: null,
    lines: { from, to },
  };
  return {
    result,
    ignored: [...ignored, ...(Array.isArray(value.constraints) && value.constraints.length > 0 ? ['constraints'] : [])],
  };
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
    const records = within(findRuns(artifact), claim);
    if (records.length > maxResults) throw tooManyResults(claim.from);
    const results: ParsedResult[] = [];
    const faults: Fault[] = [];
    const ignored = new Set<string>();
    for (const record of records) {
      if (faults.length >= maxFaults) break;
      try {
        const read = readRun(record);
        results.push(read.result);
        for (const name of read.ignored) ignored.add(name);
      } catch (error) {
        if (!(error instanceof ArtifactError)) throw error;
        addFaults(faults, error.faults);
      }
    }
    if (faults.length > 0) throw new ArtifactError(faults);
    return { tool: { name: id, version: null }, results, ignored: tellIgnored(ignored), ...noRemarks };
  },
};
