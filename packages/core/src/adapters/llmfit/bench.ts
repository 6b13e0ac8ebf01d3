import { z } from 'zod';
import type { MetricName } from '../../metrics/index.ts';
import {
  type Adapter,
  noFacts,
  noRemarks,
  noResult,
  noScenario,
  type ParsedResult,
  type SystemFacts,
} from '../adapter.ts';
import { modelFacts } from '../reading/context/model-name.ts';
import {
  hasAll,
  isObject,
  type JsonRecord,
  recordFinder,
  toClaims,
  within,
} from '../reading/documents/json-records.ts';
import { parseAt } from '../reading/documents/zod-faults.ts';
import { measuredLengths } from '../reading/figures/measured-lengths.ts';
import { definitionsOf } from '../reading/figures/report-figures.ts';
import { readEach } from '../reading/tables/read-each.ts';

const id = 'llmfit-bench';

const figure = z.number().nonnegative();
const word = z.string().max(500);

/** One model in the file that `--share` sends. */
const SharedSchema = z.looseObject({
  model: word.min(1),
  provider: word.min(1),
  numRuns: z.number().int().positive().max(1e6),
  avgTps: figure,
  minTps: figure,
  maxTps: figure,
  avgTtftMs: figure.nullish(),
  avgTotalMs: figure,
  avgOutputTokens: figure,
});

const SubmissionSchema = z.looseObject({
  tool: z.looseObject({ name: word, version: word }),
  hardware: z.looseObject({
    hwClass: word,
    hardwareName: word.nullish(),
    gpuCount: z.number().int().nonnegative().max(1e6),
    cpu: word,
  }),
  results: z.array(SharedSchema).min(1).max(10_000),
});

/** The document that `--json` prints. */
const PrintedSchema = z.looseObject({
  benchmark: z.looseObject({
    model: word.min(1),
    provider: word.min(1),
    summary: z.looseObject({
      num_runs: z.number().int().positive().max(1e6),
      avg_tps: figure,
      min_tps: figure,
      max_tps: figure,
      avg_ttft_ms: figure.nullish(),
      avg_total_ms: figure,
      avg_output_tokens: figure,
    }),
    runs: z.array(z.looseObject({ prompt_tokens: figure })).max(1e6),
  }),
});

const isSubmission = (value: JsonRecord['value']) =>
  hasAll(value, ['schemaVersion', 'submittedAtUnix', 'hardware', 'results']) &&
  isObject(value.tool) &&
  value.tool.name === 'llmfit';
const isPrinted = ({ benchmark }: JsonRecord['value']) =>
  isObject(benchmark) &&
  hasAll(benchmark, ['model', 'provider', 'summary', 'runs']) &&
  isObject(benchmark.summary) &&
  hasAll(benchmark.summary, ['num_runs', 'avg_tps', 'avg_total_ms']);

const findRecords = recordFinder((value) => (isSubmission(value) || isPrinted(value) ? 'whole' : null));

/** The figures of one model. Times in ms, rates in tok/s. */
interface Benchmark {
  model: string;
  provider: string;
  runs: number;
  tokS: { mean: number; least: number; most: number };
  firstMs: number | null;
  totalMs: number;
  outputTokens: number;
  /** Mean; null if the file does not state it. */
  promptTokens: number | null;
}

const engines: Readonly<Record<string, string>> = { llamacpp: 'llama.cpp', lmstudio: 'lm-studio' };

const definitions: Record<string, string> = {
  e2e_ms: 'request',
  user_tok_s: 'in_process',
  decode_tok_s: 'in_process',
};

/**
 * With Ollama, the rates and times are those of its server: the time to the first token is that of prompt evaluation, and
 * the total includes loading the model. Otherwise the client divides the tokens by the time of the whole request.
 */
function toResult(benchmark: Benchmark, hardware: Partial<SystemFacts>, { from, to }: JsonRecord): ParsedResult {
  const { model, provider, runs, tokS, firstMs, totalMs, outputTokens, promptTokens } = benchmark;
  const isOllama = provider === 'ollama';
  const perSecond = totalMs > 0 ? Number(((1000 * outputTokens) / totalMs).toPrecision(6)) : 0;
  const found: [MetricName, number][] = isOllama
    ? [
        ['user_tok_s', tokS.mean],
        ['decode_tok_s', tokS.mean],
      ]
    : [
        ['e2e_ms_mean', totalMs],
        ['output_tok_s', perSecond],
      ];
  const metrics: [MetricName, number][] = [...found.filter(([, value]) => value > 0), ['requests_ok', runs]];
  return {
    ...noResult,
    system: {
      ...noFacts,
      ...hardware,
      ...modelFacts(model.replace(/:latest$/, ''), 'stated'),
      engine: { value: engines[provider] ?? provider, origin: 'stated' },
    },
    scenario: {
      ...noScenario,
      ...measuredLengths(promptTokens, outputTokens > 0 ? outputTokens : null),
      dataset: { value: 'llmfit', origin: 'stated' },
    },
    load: { mode: 'concurrency', level: 1 },
    metrics: Object.fromEntries(metrics),
    definitions: definitionsOf(metrics, definitions),
    extra: {
      ...(isOllama ? { total_ms_mean: totalMs } : { request_tok_s_mean: tokS.mean }),
      ...(firstMs === null ? {} : { prompt_eval_ms_mean: firstMs }),
      ...(runs > 1 ? { tok_s_min: tokS.least, tok_s_max: tokS.most } : {}),
    },
    lines: { from, to },
  };
}

function readSubmission(record: JsonRecord): ParsedResult[] {
  const { hardware, results } = parseAt(SubmissionSchema, record.value, record.from);
  const isCpu = hardware.hwClass === 'CPU_ONLY';
  const name = isCpu ? hardware.cpu : hardware.hardwareName;
  const facts: Partial<SystemFacts> = {
    gpu: name ? { value: name, origin: 'stated' } : null,
    // The number in the machine: a server may use fewer.
    gpuCount:
      isCpu || hardware.gpuCount === 0
        ? null
        : { value: hardware.gpuCount, origin: hardware.gpuCount === 1 ? 'stated' : 'inferred' },
  };
  return results.map((one) => {
    const tokS = { mean: one.avgTps, least: one.minTps, most: one.maxTps };
    const { model, provider, numRuns: runs, avgTotalMs: totalMs, avgOutputTokens: outputTokens } = one;
    const firstMs = one.avgTtftMs ?? null;
    return toResult({ model, provider, runs, tokS, firstMs, totalMs, outputTokens, promptTokens: null }, facts, record);
  });
}

function readPrinted(record: JsonRecord): ParsedResult[] {
  const { benchmark } = parseAt(PrintedSchema, record.value, record.from);
  const { model, provider, summary, runs } = benchmark;
  const prompts = runs.reduce((sum, { prompt_tokens: tokens }) => sum + tokens, 0);
  const one = {
    ...{ model, provider, runs: summary.num_runs, firstMs: summary.avg_ttft_ms ?? null },
    tokS: { mean: summary.avg_tps, least: summary.min_tps, most: summary.max_tps },
    totalMs: summary.avg_total_ms,
    outputTokens: summary.avg_output_tokens,
    promptTokens: prompts > 0 ? prompts / runs.length : null,
  };
  return [toResult(one, {}, record)];
}

/**
 * `llmfit bench`: four short prompts one after another, at most 300 output tokens each, after a warm-up. Reads the file that
 * it stores and shares, and what `--json` prints.
 *
 * Written by https://github.com/AlexsJones/llmfit/blob/main/llmfit-core/src/bench.rs and `share.rs`.
 */
export const llmfitBench: Adapter = {
  id,
  title: 'llmfit bench',
  kind: 'serving',
  recognises:
    'a JSON file with tool.name "llmfit", hardware and results, or JSON with benchmark.summary and benchmark.runs',
  command: 'llmfit bench MODEL --json > result.json (or send the file that llmfit stored)',
  detect: (artifact) => toClaims(id, findRecords(artifact)),
  read: (artifact, claim) => {
    const records = within(findRecords(artifact), claim);
    const versions = new Set(
      records.flatMap(({ value: { tool } }) =>
        isObject(tool) && typeof tool.version === 'string' ? [tool.version.slice(0, 100)] : [],
      ),
    );
    const read = readEach(records, claim.from, (record) => ({
      results: isSubmission(record.value) ? readSubmission(record) : readPrinted(record),
      ignored: [],
    }));
    const [version = null] = versions;
    return { tool: { name: 'llmfit', version: versions.size === 1 ? version : null }, ...read, ...noRemarks };
  },
};
