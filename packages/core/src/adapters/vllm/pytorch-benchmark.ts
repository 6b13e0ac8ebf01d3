import { z } from 'zod';
import type { Fault } from '../../errors.ts';
import { type Adapter, noRemarks, type ParsedResult, type Reading } from '../adapter.ts';
import { addFaults, maxFaults } from '../errors.ts';
import type { Arguments } from '../reading/context/run-context.ts';
import type { JsonValue } from '../reading/documents/json.ts';
import {
  isObject,
  type JsonObject,
  type JsonRecord,
  recordFinder,
  toClaims,
  within,
} from '../reading/documents/json-records.ts';
import { parseAt, toFaults } from '../reading/documents/zod-faults.ts';
import { readEach } from '../reading/tables/read-each.ts';
import { argumentsOf, systemArguments, toSystem } from './arguments.ts';
import { LatencySchema, toLatencyFigures } from './bench-latency.ts';
import { ThroughputSchema, toThroughputFigures } from './bench-throughput.ts';
import { workloadOf } from './context.ts';
import { toLatencyResult, toThroughputResult } from './offline.ts';
import { readServingRecord } from './serve-record.ts';

const id = 'vllm-pytorch-benchmark';

const ItemSchema = z.looseObject({
  metric: z.looseObject({
    name: z.string().max(200),
    benchmark_values: z.array(z.number().nullable()).min(1).max(100_000),
  }),
});

const findItems = recordFinder(({ benchmark, model, metric }) => {
  if (!isObject(benchmark) || !isObject(metric) || !isObject(model)) return null;
  if (benchmark.name !== 'vLLM benchmark') return null;
  return Object.hasOwn(metric, 'name') && Object.hasOwn(metric, 'benchmark_values') ? 'whole' : 'likely';
});

/** The items of one run. Every metric is a separate item that repeats all facts. */
interface Run {
  model: string | null;
  /** Arguments of the program. */
  args: JsonObject;
  /** The rest of the result object. */
  info: JsonObject;
  metrics: Map<string, (number | null)[]>;
  from: number;
  to: number;
}

const objectAt = (value: JsonObject, key: string): JsonObject => (isObject(value[key]) ? value[key] : {});

/** Groups items by the facts they repeat. A repeated metric begins another run with the same arguments. */
function toRuns(items: readonly JsonRecord[], faults: Fault[]): Run[] {
  const runs: Run[] = [];
  const latest = new Map<string, Run>();
  for (const { value, from, to } of items) {
    if (faults.length >= maxFaults) break;
    const parsed = ItemSchema.safeParse(value);
    if (!parsed.success) {
      addFaults(faults, toFaults(parsed.error, from));
      continue;
    }
    const context = objectAt(objectAt(value, 'benchmark'), 'extra_info');
    const { name: model } = objectAt(value, 'model');
    const info = objectAt(objectAt(value, 'metric'), 'extra_info');
    const key = JSON.stringify([context, model ?? null, info]);
    const { name, benchmark_values: values } = parsed.data.metric;
    const known = latest.get(key);
    if (known !== undefined && !known.metrics.has(name)) {
      known.metrics.set(name, values);
      known.to = Math.max(known.to, to);
      continue;
    }
    const args = objectAt(context, 'args');
    const run: Run = { model: typeof model === 'string' ? model : null, args, info, metrics: new Map(), from, to };
    run.metrics.set(name, values);
    latest.set(key, run);
    runs.push(run);
  }
  return runs;
}

/** Metrics with one value, by name. */
function singles({ metrics }: Run): JsonObject {
  const fields: JsonObject = {};
  for (const [name, values] of metrics)
    if (name !== '__proto__') fields[name] = values.length === 1 ? (values[0] ?? null) : [...values];
  return fields;
}

interface ReadRun {
  tool: string;
  result: ParsedResult;
  ignored: string[];
}

/** The model is stored next to the arguments. */
function argumentsIn({ args, info, model }: Run): Arguments {
  const fields: JsonObject = { ...info, ...args };
  return argumentsOf(model === null ? fields : { ...fields, model });
}

const askedOf = ['num_prompts', 'request_rate', 'burstiness', 'max_concurrency', 'ramp_up_strategy', 'backend'];

function readServing(run: Run): ReadRun {
  const asked: [string, JsonValue][] = askedOf.flatMap((key) => {
    const value = run.args[key];
    return value === undefined ? [] : [[key, value]];
  });
  const model: JsonObject = run.model === null ? {} : { model_id: run.model };
  const fields: JsonObject = { ...model, ...Object.fromEntries(asked), ...run.info, ...singles(run) };
  const { result, tool, ignored } = readServingRecord(fields, { from: run.from, to: run.to });
  const given = argumentsIn(run);
  const { parallelism, features, gpuCount } = toSystem(given, 'context');
  const workload = workloadOf((key) => given.text(key));
  const fact = <T>(value: T | null) => (value === null ? null : ({ value, origin: 'context' } as const));
  return {
    tool: tool.name,
    result: {
      ...result,
      system: { ...result.system, parallelism, gpuCount, features: { ...features, ...result.system.features } },
      scenario: {
        ...result.scenario,
        inputTokens: fact(workload.input),
        outputTokens: fact(workload.output),
        dataset: fact(workload.dataset),
      },
    },
    ignored: ignored.filter((key) => !systemArguments.has(key)),
  };
}

function readRun(run: Run): ReadRun {
  const lines = { from: run.from, to: run.to };
  const latencies = run.metrics.get('latency');
  if (latencies !== undefined) {
    const record = parseAt(LatencySchema, { ...run.info, latencies: [...latencies] }, run.from);
    const result = toLatencyResult(toLatencyFigures(record), argumentsIn(run), lines);
    return { tool: 'vllm bench latency', result, ignored: [] };
  }
  if (run.metrics.has('tokens_per_second')) {
    const record = parseAt(ThroughputSchema, { ...run.info, ...singles(run) }, run.from);
    const result = toThroughputResult(toThroughputFigures(record), argumentsIn(run), lines);
    return { tool: 'vllm bench throughput', result, ignored: [] };
  }
  return readServing(run);
}

function readRuns(items: readonly JsonRecord[], line: number): Reading {
  const faults: Fault[] = [];
  const tools = new Set<string>();
  const runs = toRuns(items, faults);
  const readOne = (run: Run) => {
    const read = readRun(run);
    tools.add(read.tool);
    return read;
  };
  const read = readEach(runs, line, readOne, faults);
  return { tool: { name: [...tools].join(' + '), version: null }, ...read, ...noRemarks };
}

/**
 * `*.pytorch.json`, which vLLM's benchmarks write if SAVE_TO_PYTORCH_BENCHMARK_FORMAT is set: an item for each metric of a
 * run of `bench serve`, `latency` or `throughput`, each with all arguments of the program. Names and units are those of the
 * programs' own files.
 *
 * Written by https://github.com/vllm-project/vllm/blob/main/vllm/benchmarks/lib/utils.py
 */
export const vllmPytorchBenchmark: Adapter = {
  id,
  title: 'vllm bench (PyTorch benchmark format)',
  kind: 'serving',
  recognises: 'JSON objects with benchmark.name "vLLM benchmark", model and metric.benchmark_values',
  command: 'SAVE_TO_PYTORCH_BENCHMARK_FORMAT=1 vllm bench serve --model MODEL --save-result',
  detect: (artifact) => toClaims(id, findItems(artifact)),
  read: (artifact, claim) => readRuns(within(findItems(artifact), claim), claim.from),
};
