import type { Parallelism } from '../../subjects/system.ts';
import { type Fact, noFacts, type SystemFacts } from '../adapter.ts';
import { modelFacts } from '../reading/context/model-name.ts';
import type { JsonValue } from '../reading/documents/json.ts';
import { type JsonObject, objectOf } from '../reading/documents/json-records.ts';
import { argumentsOf, toSystem } from '../vllm/arguments.ts';

/** One serving engine, or several identical ones. */
export interface ReportedEngine {
  /** `replica`, `prefill` or `decode`. */
  role: string | null;
  replicas: number;
  model: string | null;
  gpu: string | null;
  /** GPUs of one replica, as the report counts them. */
  gpus: number | null;
  parallelism: Partial<Parallelism>;
  /** The name of the engine or of its stack. */
  tool: string | null;
  /** A version, or a container image with its tag. */
  version: string | null;
  /** Its command line: names with or without dashes. */
  args: JsonObject;
}

/** Model facts of a report outside its engines. */
export interface NamedFacts {
  model: string | null;
  quantization: string | null;
  /** Loaded LoRA adapters. */
  adapters: number;
}

function textOf(value: JsonValue | undefined): string | null {
  const text = typeof value === 'string' && value.length <= 300 ? value.trim() : '';
  return /^(?:|unknown|auto|none|null)$/i.test(text) ? null : text;
}

function wholeOf(value: JsonValue | undefined): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null;
}

/** The schema fills in a missing value with 1, so only values above 1 count. `tp` also counts if a number of GPUs is stated. */
function toParallelism(value: JsonValue | undefined, gpus: number | null): Partial<Parallelism> {
  const fields = objectOf(value);
  const [tensor, pipeline, data, expert] = ['tp', 'pp', 'dp', 'ep'].map((name) => wholeOf(fields[name]));
  const isMore = (width: number | null | undefined): width is number => width != null && width > 1;
  return {
    ...(tensor != null && (gpus !== null || tensor > 1) ? { tensor } : {}),
    ...(isMore(pipeline) ? { pipeline } : {}),
    ...(isMore(data) ? { data } : {}),
    ...(isMore(expert) ? { expert } : {}),
  };
}

function toAccelerator(value: JsonValue | undefined): Pick<ReportedEngine, 'gpu' | 'gpus' | 'parallelism'> {
  const fields = objectOf(value);
  const gpus = wholeOf(fields.count);
  return { gpu: textOf(fields.model), gpus, parallelism: toParallelism(fields.parallelism, gpus) };
}

/** The engines of `scenario.stack`, for reports since 0.2. */
export function enginesOfStack(stack: JsonValue | undefined): ReportedEngine[] {
  const engines: ReportedEngine[] = [];
  for (const component of Array.isArray(stack) ? stack : []) {
    const { standardized, native } = objectOf(component);
    const fields = objectOf(standardized);
    if (fields.kind !== 'inference_engine') continue;
    engines.push({
      role: textOf(fields.role),
      replicas: wholeOf(fields.replicas) ?? 1,
      model: textOf(objectOf(fields.model).name),
      ...toAccelerator(fields.accelerator),
      tool: textOf(fields.tool),
      version: textOf(fields.tool_version),
      args: objectOf(objectOf(native).args),
    });
  }
  return engines;
}

/** The engines of a report 0.1, from its parallel lists of hosts and engines. */
export function enginesOfHost(host: JsonObject, platform: JsonObject, model: string | null): ReportedEngine[] {
  const [roles, accelerators, engines] = [host.type, host.accelerator, platform.engine].map((list) =>
    Array.isArray(list) ? list : [],
  );
  const length = Math.max(accelerators?.length ?? 0, engines?.length ?? 0);
  return Array.from({ length }, (_, index) => {
    const engine = objectOf(engines?.[index]);
    return {
      role: textOf(roles?.[index]),
      replicas: 1,
      model,
      ...toAccelerator(accelerators?.[index]),
      tool: textOf(engine.name),
      version: textOf(engine.version),
      args: objectOf(engine.args),
    };
  });
}

/** Engine names in tools and images. llm-d serves with vLLM. */
const engineNames: [RegExp, name: string, origin: 'stated' | 'inferred'][] = [
  [/sglang/i, 'sglang', 'stated'],
  [/trt-?llm|tensorrt/i, 'tensorrt-llm', 'stated'],
  [/vllm/i, 'vllm', 'stated'],
  [/llm-d/i, 'vllm', 'inferred'],
];

/** An image without its registry, which may be a private host: `llm-d-cuda:0.3.1`. */
function imageOf(text: string | null): string | null {
  return text?.includes('/') ? (text.split('/').at(-1) ?? null) : null;
}

function toEngine({ tool, version }: ReportedEngine): Pick<SystemFacts, 'engine' | 'engineVersion'> {
  // Until 0.1 the image replaced the name.
  const words = `${imageOf(tool) ?? tool ?? ''} ${imageOf(version) ?? version ?? ''}`;
  const known = engineNames.find(([pattern]) => pattern.test(words));
  if (known === undefined) {
    const name = imageOf(tool) ?? tool;
    return { engine: name === null ? null : { value: name, origin: 'stated' }, engineVersion: null };
  }
  const [, name, origin] = known;
  // The tag of another project's image is that project's version.
  const tag = origin === 'inferred' ? null : /(?:^|[ :])v?(\d{1,3}\.\d[\w.+]{0,40})/.exec(words);
  return {
    engine: { value: name, origin },
    engineVersion: tag?.[1] === undefined ? null : { value: tag[1], origin: 'stated' },
  };
}

/** Arguments by their Python names. A leading dash or `--no-` refers to the same switch. */
function namedArguments(args: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(args).map(([key, value]) => {
      const name = key.replace(/^-{1,2}/, '').replaceAll('-', '_');
      const isOff = name.startsWith('no_');
      const isSwitch = value === null || value === '' || value === true || value === 'true';
      return [isOff ? name.slice(3) : name, isSwitch ? !isOff : value];
    }),
  );
}

/** The value that all engines share; null if they differ or have none. */
function common<T>(values: readonly T[]): T | null {
  const [first] = values;
  return first !== undefined && values.every((value) => JSON.stringify(value) === JSON.stringify(first)) ? first : null;
}

function gpusOf({ gpus, parallelism }: ReportedEngine): number | null {
  // For a replica over several machines, the report counts the GPUs of one machine.
  const width = (parallelism.tensor ?? 1) * (parallelism.pipeline ?? 1) * (parallelism.data ?? 1);
  return gpus === null ? null : Math.max(gpus, width);
}

function sumGpus(engines: readonly ReportedEngine[]): number | null {
  const counts = engines.map((engine) => ({ gpus: gpusOf(engine), replicas: engine.replicas }));
  return counts.length === 0 || counts.some(({ gpus }) => gpus === null)
    ? null
    : counts.reduce((sum, { gpus, replicas }) => sum + (gpus ?? 0) * replicas, 0);
}

/** The topology: identical replicas, or separate engines for prefill and decode. */
function toTopology(engines: readonly ReportedEngine[]): SystemFacts['features'] {
  const side = (role: string) => engines.filter((engine) => engine.role === role);
  const count = (all: readonly ReportedEngine[]) => all.reduce((sum, { replicas }) => sum + replicas, 0);
  if (side('prefill').length === 0) return count(engines) > 1 ? { replicas: count(engines) } : {};
  const featuresOf = (role: string) => {
    const all = side(role);
    const tensor = common(all.map(({ parallelism }) => parallelism.tensor ?? null));
    const gpus = sumGpus(all);
    return {
      ...(tensor === null ? {} : { [`${role}_tensor_parallel`]: tensor }),
      [`${role}_workers`]: count(all),
      ...(gpus === null ? {} : { [`${role}_gpus`]: gpus }),
    };
  };
  return { disaggregated: true, ...featuresOf('prefill'), ...featuresOf('decode') };
}

function toFeatures(engines: readonly ReportedEngine[]): SystemFacts['features'] {
  const [first, ...others] = engines.map(({ args }) => toSystem(argumentsOf(namedArguments(args)), 'context').features);
  const shared = Object.entries(first ?? {}).filter(([name, value]) => others.every((all) => all[name] === value));
  const isLlmd = engines.some(({ tool, version }) => /llm-d/i.test(`${imageOf(tool) ?? tool} ${imageOf(version)}`));
  return { ...toTopology(engines), ...Object.fromEntries(shared), ...(isLlmd ? { orchestrator: 'llm-d' } : {}) };
}

/** The system of a report. Several engines are merged, and differing facts are dropped. */
export function toReportedSystem(engines: readonly ReportedEngine[], named: NamedFacts): SystemFacts {
  const model = named.model ?? common(engines.map((engine) => engine.model));
  const facts = modelFacts(model, 'stated');
  const asked = common(engines.map(({ args }) => argumentsOf(namedArguments(args)).text('quantization')));
  const stated = named.quantization ?? asked;
  const gpus = [...new Set(engines.flatMap(({ gpu }) => gpu ?? []))];
  const gpuCount = sumGpus(engines);
  const isCounted = engines.every((engine) => gpusOf(engine) === engine.gpus);
  const fact = <T>(value: T | null, origin: Fact<T>['origin'] = 'stated') =>
    value === null ? null : { value, origin };
  const engine = common(engines.map(toEngine));
  return {
    ...noFacts,
    model: facts.model,
    quantization: fact(stated) ?? facts.quantization,
    // Two kinds of GPU have no common name.
    gpu: fact(gpus.length === 0 ? null : gpus.join(' + ')),
    gpuCount: fact(gpuCount, isCounted ? 'stated' : 'inferred'),
    engine: engine?.engine ?? null,
    engineVersion: engine?.engineVersion ?? null,
    parallelism: common(engines.map(({ parallelism }) => parallelism)) ?? {},
    features: { ...toFeatures(engines), ...(named.adapters > 0 ? { lora_adapters: named.adapters } : {}) },
  };
}

/** Images of the engines without their registry host; null if there are none. */
export function imagesOf(engines: readonly ReportedEngine[]): string | null {
  const images = new Set(engines.flatMap(({ tool, version }) => imageOf(version) ?? imageOf(tool) ?? []));
  return images.size === 0 ? null : [...images].join(' + ');
}
