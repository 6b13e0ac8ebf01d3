import { type Fact, noFacts, type SystemFacts } from '../adapter.ts';
import { toModelName } from '../reading/context/model-name.ts';
import type { JsonObject } from '../reading/documents/json-records.ts';

/** GPUs of a configuration. In a disaggregated one, some run prefill and others decode. */
export interface GpuCounts {
  all: number | null;
  prefill: number | null;
  decode: number | null;
}

/** Framework names by the engine that they run. */
const engines: [RegExp, string][] = [
  [/trt|tensorrt/, 'tensorrt-llm'],
  [/sglang/, 'sglang'],
  [/vllm/, 'vllm'],
  [/^atom/, 'atom'],
];

/** Container images whose tag is an engine version, by engine: text in the path of the image. */
const images: Record<string, RegExp> = {
  'tensorrt-llm': /tensorrt-llm|trtllm/i,
  sglang: /sglang/i,
  vllm: /vllm/i,
  atom: /atom/i,
};

/** A text of a record, limited to the length of a name; null if absent. */
export function textOf(fields: JsonObject, key: string): string | null {
  const value = Object.hasOwn(fields, key) ? fields[key] : null;
  return typeof value === 'string' && value !== '' && value.length <= 300 ? value : null;
}

/** A whole number above 0, as a number or as text; otherwise null. */
export function wholeOf(fields: JsonObject, key: string): number | null {
  const value = Object.hasOwn(fields, key) ? fields[key] : null;
  const number = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number > 0 ? number : null;
}

/** True for `true` and for the text "true": some switches are text. */
export function isSet(fields: JsonObject, key: string): boolean {
  const value = Object.hasOwn(fields, key) ? fields[key] : null;
  return value === true || (typeof value === 'string' && value.toLowerCase() === 'true');
}

/** `org--name`, the format of folders of downloaded models. */
export function toPublishedName(text: string | null): string | null {
  const name = text === null ? null : toModelName(text);
  const parts = name === null ? null : /^([\w.-]{1,80}?)--([\w.-]{1,150})$/.exec(name);
  return parts === null ? name : `${parts[1]}/${parts[2]}`;
}

/** The GPU in a machine name: `b200-trt` and `h200_sglang` contain more than the card. */
export function toGpuName(hardware: string | null): string | null {
  return hardware === null
    ? null
    : (/^(?:gb|b|h|a|l)\d{2,3}(?=[-_]|$)|^mi\d{3}[a-z]?(?=[-_]|$)/i.exec(hardware)?.[0] ?? hardware);
}

export function toEngineName(framework: string | null): string | null {
  const name = framework?.toLowerCase() ?? '';
  return engines.find(([pattern]) => pattern.test(name))?.[1] ?? framework;
}

const version = String.raw`v?(\d{1,3}\.\d{1,3}(?:\.\d{1,4})?(?:\.?(?:post|rc|dev)\d{1,4}){0,2})(?=[-_+.]|$)`;
const versionAtStart = new RegExp(`^${version}`);
/** The version after the name of an engine: `rocm7.2.4_ubuntu24.04_atom0.1.3`, `sglang-0.5.9-rocm720`. */
const versionAfter: Record<string, RegExp> = Object.fromEntries(
  ['sglang', 'vllm', 'atom'].map((engine) => [engine, new RegExp(`(?:^|[-_])${engine}-?${version}`)]),
);

/**
 * The version in the tag of a container: after the engine's name, or at the start if the container is the engine's own. Dates and
 * hashes are not versions.
 */
function toVersion(image: string | null, engine: string | null): string | null {
  if (image === null || engine === null) return null;
  const colon = image.lastIndexOf(':');
  const [path, tag] = [image.slice(0, Math.max(0, colon)), image.slice(colon + 1)];
  const isOwn = images[engine]?.test(path) ?? false;
  return versionAfter[engine]?.exec(tag)?.[1] ?? (isOwn ? versionAtStart.exec(tag)?.[1] : null) ?? null;
}

const product = (fields: JsonObject, ...keys: string[]) =>
  keys.reduce((gpus, key) => gpus * (wholeOf(fields, key) ?? 1), 1);

/** Number of GPUs of a configuration. Expert and data parallelism share the GPUs of tensor parallelism. */
export function countGpus(fields: JsonObject): GpuCounts {
  const prefill = wholeOf(fields, 'num_prefill_gpu');
  const decode = wholeOf(fields, 'num_decode_gpu');
  if (prefill !== null || decode !== null) return { all: (prefill ?? 0) + (decode ?? 0), prefill, decode };
  const all = wholeOf(fields, 'tp') === null ? null : product(fields, 'tp', 'pp', 'pcp_size');
  return { all, prefill: null, decode: null };
}

/** Settings that distinguish systems with the same model and GPUs. */
function toFeatures(fields: JsonObject, counts: GpuCounts): SystemFacts['features'] {
  const framework = textOf(fields, 'framework')?.toLowerCase() ?? '';
  const drafts = textOf(fields, 'spec_decoding')?.toLowerCase() ?? 'none';
  const widths = (side: string) => {
    const tensor = wholeOf(fields, `${side}_tp`);
    const count = wholeOf(fields, `${side}_num_workers`);
    const [pipeline, expert] = ['pp', 'ep'].map((key) => wholeOf(fields, `${side}_${key}`) ?? 1);
    return {
      ...(tensor === null ? {} : { [`${side}_tensor_parallel`]: tensor }),
      ...(pipeline === undefined || pipeline === 1 ? {} : { [`${side}_pipeline_parallel`]: pipeline }),
      ...(expert === undefined || expert === 1 ? {} : { [`${side}_expert_parallel`]: expert }),
      ...(count === null ? {} : { [`${side}_workers`]: count }),
      ...(isSet(fields, `${side}_dp_attention`) ? { [`${side}_dp_attention`]: true } : {}),
    };
  };
  const isSplit = isSet(fields, 'disagg');
  return {
    ...(drafts === 'none' || drafts === '' ? {} : { speculative_decoding: true, speculative_algorithm: drafts }),
    ...(isSet(fields, 'dp_attention') ? { dp_attention: true } : {}),
    ...(framework.startsWith('dynamo') ? { orchestrator: 'dynamo' } : {}),
    ...(isSet(fields, 'is_multinode') ? { multinode: true } : {}),
    ...(isSplit ? { disaggregated: true, ...widths('prefill'), ...widths('decode') } : {}),
    ...(isSplit && counts.prefill !== null ? { prefill_gpus: counts.prefill } : {}),
    ...(isSplit && counts.decode !== null ? { decode_gpus: counts.decode } : {}),
    ...(textOf(fields, 'offload_mode') === 'on' ? { kv_cache_offload: true } : {}),
  };
}

/** The complete system of an aggregate. */
export function toInferencexSystem(fields: JsonObject, counts: GpuCounts): SystemFacts {
  const stated = <T>(value: T | null): Fact<T> | null => (value === null ? null : { value, origin: 'stated' });
  const sides = [textOf(fields, 'prefill_hw'), textOf(fields, 'decode_hw')].filter((name) => name !== null);
  // Two kinds of GPU have no name in common.
  const gpu = new Set(sides).size > 1 ? sides.join(' + ') : toGpuName(textOf(fields, 'hw') ?? sides[0] ?? null);
  const engine = toEngineName(textOf(fields, 'framework'));
  const [tensor, pipeline, expert] = ['tp', 'pp', 'ep'].map((key) => wholeOf(fields, key));
  return {
    ...noFacts,
    model: stated(toPublishedName(textOf(fields, 'model'))),
    quantization: stated(textOf(fields, 'precision')),
    gpu: stated(gpu),
    gpuCount: stated(counts.all),
    engine: stated(engine),
    engineVersion: stated(toVersion(textOf(fields, 'image'), engine)),
    parallelism: {
      ...(tensor == null ? {} : { tensor }),
      ...(pipeline == null || pipeline === 1 ? {} : { pipeline }),
      ...(expert == null || expert === 1 ? {} : { expert }),
    },
    features: toFeatures(fields, counts),
  };
}
