import { z } from 'zod';
import { isUnquantizedName, quantizationHint } from '../../catalogue/names/quantization-hint.ts';
import type { Fact, SystemFacts } from '../adapter.ts';
import { ArtifactError, addFaults } from '../errors.ts';
import { toModelName } from '../reading/context/model-name.ts';
import type { JsonValue } from '../reading/documents/json.ts';
import { isObject, type JsonObject, type JsonRecord, recordFinder } from '../reading/documents/json-records.ts';
import { toFaults } from '../reading/documents/zod-faults.ts';
import type { OptimumPhase, OptimumReport, OptimumRun } from './report.ts';

const figure = z.preprocess(
  (value) => (typeof value === 'number' && !Number.isFinite(value) ? null : value),
  z.number().nonnegative().nullish(),
);
const PhaseSchema = z
  .looseObject({
    latency: z
      .looseObject({
        unit: z.literal('s'),
        count: z.number().int().nonnegative().nullish(),
        values: z.array(figure).max(1_000_000).nullish(),
        mean: figure,
        p50: figure,
        p90: figure,
        p95: figure,
        p99: figure,
        stdev: figure,
      })
      .nullish(),
    throughput: z.looseObject({ unit: z.string().max(40), value: figure }).nullish(),
  })
  .nullish();
const ReportSchema = z.looseObject({ prefill: PhaseSchema, decode: PhaseSchema, per_token: PhaseSchema });

const word = z.string().max(500).nullish();
const count = z.number().int().positive().nullish();
const ConfigSchema = z.looseObject({
  backend: z.looseObject({
    name: word,
    version: word,
    model: word,
    device: word,
    device_ids: z.union([z.string(), z.number()]).nullish(),
    torch_dtype: word,
    quantization_scheme: word,
    quantization_config: z.looseObject({ bits: z.number().nullish(), quant_type: word }).nullish().catch(null),
    attn_implementation: word,
    torch_compile: z.boolean().nullish(),
  }),
  scenario: z
    .looseObject({
      input_shapes: z.looseObject({ batch_size: count, sequence_length: count }).nullish(),
      new_tokens: count,
      generate_kwargs: z.looseObject({ max_new_tokens: count }).nullish(),
    })
    .nullish(),
  environment: z
    .looseObject({
      gpu: z.union([z.string(), z.array(z.string())]).nullish(),
      gpu_count: z.number().int().nonnegative().nullish(),
      transformers_version: word,
    })
    .nullish(),
});
type Config = z.infer<typeof ConfigSchema>;

const phases = ['load_model', 'prefill', 'decode', 'per_token', 'forward', 'call'];

function isPhase(value: JsonValue | undefined): boolean {
  return isObject(value) && ['memory', 'latency', 'throughput'].every((name) => Object.hasOwn(value, name));
}

const isReport = (value: JsonObject) =>
  phases.some((name) => isPhase(value[name])) && phases.slice(1).some((name) => Object.hasOwn(value, name));

function configOf(value: JsonObject): JsonObject | null {
  const { config, report } = value;
  if (!isObject(config) || !isObject(config.backend) || !isObject(report)) return null;
  const target = config.backend._target_;
  return typeof target === 'string' && target.includes('optimum_benchmark') ? config : null;
}

/** Reports alone, and reports with their configuration as in `benchmark.json`. */
export const findOptimumReports = recordFinder((value) =>
  configOf(value) !== null || isReport(value) ? 'whole' : null,
);

function toPhase(phase: z.infer<typeof PhaseSchema>): OptimumPhase | null {
  if (phase == null) return null;
  const { latency, throughput } = phase;
  const words = ['mean', 'p50', 'p90', 'p95', 'p99', 'stdev'] as const;
  const values = latency?.values?.filter((value) => value != null) ?? [];
  return {
    latencyS: new Map(words.flatMap((name) => (latency?.[name] == null ? [] : [[name, latency[name]]]))),
    count: latency?.count ?? null,
    values: values.length > 0 && values.length === latency?.count ? values : null,
    throughput: throughput?.value == null ? null : { value: throughput.value, unit: throughput.unit },
  };
}

const stated = <T extends string | number>(value: T | null | undefined): Fact<T> | null =>
  value == null || value === '' ? null : { value, origin: 'stated' };

/** The used GPUs, by their ids. The environment lists all GPUs of the machine, which may be of several models. */
function toGpus({ backend, environment }: Config): Pick<SystemFacts, 'gpu' | 'gpuCount'> {
  const gpus = environment?.gpu ?? [];
  const listed = typeof gpus === 'string' ? [gpus] : gpus;
  const ids = backend.device_ids == null ? [] : String(backend.device_ids).split(',');
  const known = ids.filter((id) => /^\s*\d{1,3}\s*$/.test(id)).map(Number);
  // The list and the ids have the order of the PCI bus.
  const names =
    known.length > 0 && known.every((index) => index < listed.length) ? known.map((index) => listed[index]) : listed;
  const [name, ...others] = names;
  if (name === undefined || others.some((other) => other !== name) || backend.device === 'cpu')
    return { gpu: null, gpuCount: null };
  const used = known.length > 0 ? known.length : environment?.gpu_count === 1 ? 1 : null;
  return { gpu: stated(name), gpuCount: stated(used) };
}

/** Schemes of the weights by their types in torchao. */
const torchaoTypes: Record<string, string> = {
  int4_weight_only: 'w4a16',
  int8_weight_only: 'w8a16',
  int8_dynamic_activation_int8_weight: 'w8a8',
};

/** The quantization of the weights. `torch_dtype` is the precision of the computation and does not replace a name. */
function toQuantization({ backend }: Config): Fact<string> | null {
  const { quantization_scheme: scheme, quantization_config: config, torch_dtype: dtype } = backend;
  const bits = config?.bits ?? 4;
  if (scheme === 'gptq' || scheme === 'awq') return stated(bits === 4 ? scheme : `${scheme}-int${bits}`);
  if (scheme === 'torchao') return stated(torchaoTypes[config?.quant_type ?? ''] ?? scheme);
  if (scheme === 'fbgemm_fp8') return stated('fp8');
  if (scheme != null && scheme !== '') return stated(scheme);
  const hint = quantizationHint(backend.model ?? '');
  if (hint !== null && !isUnquantizedName(hint)) return { value: hint, origin: 'inferred' };
  return stated(dtype);
}

/** Engines by backend name, if the names differ. */
const engines: Record<string, string> = { pytorch: 'transformers', 'py-txi': 'tgi', llama_cpp: 'llama.cpp' };

function toRun(config: Config): OptimumRun {
  const { backend, scenario, environment } = config;
  const model = toModelName(backend.model ?? '');
  const name = backend.name ?? '';
  const isPytorch = name === 'pytorch';
  const version = isPytorch ? environment?.transformers_version : backend.version;
  return {
    system: {
      ...toGpus(config),
      model: stated(model),
      quantization: toQuantization(config),
      engine: stated(Object.hasOwn(engines, name) ? engines[name] : name),
      engineVersion: name === '' ? null : stated(version),
      features: {
        ...(backend.attn_implementation ? { attention: backend.attn_implementation } : {}),
        ...(backend.torch_compile === true ? { torch_compile: true } : {}),
      },
    },
    batchSize: scenario?.input_shapes?.batch_size ?? null,
    inputTokens: scenario?.input_shapes?.sequence_length ?? null,
    outputTokens: scenario?.generate_kwargs?.max_new_tokens ?? scenario?.new_tokens ?? null,
    extra: isPytorch && backend.version ? { torch_version: backend.version } : {},
  };
}

const noRun: OptimumRun = { system: {}, batchSize: null, inputTokens: null, outputTokens: null, extra: {} };

/** Reads a report. Throws `ArtifactError` if it is not in the program's format. */
export function readOptimumRecord({ value, from, to }: JsonRecord): {
  report: OptimumReport;
  run: OptimumRun;
  ignored: string[];
} {
  const wrapped = configOf(value);
  const inner = wrapped === null ? value : value.report;
  const report = ReportSchema.safeParse(inner);
  const config = wrapped === null ? null : ConfigSchema.safeParse(wrapped);
  const faults = report.success ? [] : toFaults(report.error, from, wrapped === null ? [] : ['report']);
  if (config?.success === false) addFaults(faults, toFaults(config.error, from, ['config']));
  if (!report.success || config?.success === false) throw new ArtifactError(faults);
  const { prefill, decode, per_token: perToken } = report.data;
  const used = new Set(['prefill', 'decode', 'per_token']);
  const ignored = Object.keys(report.data).filter((name) => !used.has(name));
  for (const name of ['memory', 'energy', 'efficiency'])
    if ([prefill, decode].some((phase) => phase?.[name] != null)) ignored.push(name);
  return {
    report: { from, to, prefill: toPhase(prefill), decode: toPhase(decode), perToken: toPhase(perToken) },
    run: config === null ? noRun : toRun(config.data),
    ignored,
  };
}
