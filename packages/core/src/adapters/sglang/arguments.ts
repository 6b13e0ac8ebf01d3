import { noFacts, type SystemFacts } from '../adapter.ts';
import { modelFacts } from '../reading/context/model-name.ts';
import type { Arguments, RunContext } from '../reading/context/run-context.ts';
import type { JsonObject } from '../reading/documents/json-records.ts';
import { parseNumber } from '../reading/figures/numbers.ts';

/** `server_info` of a record. */
export function argumentsOf(info: JsonObject): Arguments {
  const value = (names: readonly string[]) =>
    names.map((name) => (Object.hasOwn(info, name) ? info[name] : null)).find((found) => found != null) ?? null;
  return {
    text: (...names) => {
      const found = value(names);
      return typeof found === 'string' && found !== '' ? found.slice(0, 1000) : null;
    },
    number: (...names) => {
      const found = value(names);
      const number = typeof found === 'string' ? parseNumber(found) : found;
      return typeof number === 'number' && Number.isFinite(number) && number > 0 ? number : null;
    },
    switched: (name) => {
      const found = value([name]);
      return typeof found === 'boolean' ? found : null;
    },
  };
}

function whole(value: number | null): number | null {
  return value !== null && Number.isSafeInteger(value) && value > 0 ? value : null;
}

/** Settings that distinguish systems with the same model and GPU. */
function toFeatures(given: Arguments): SystemFacts['features'] {
  const cache = given.text('kv_cache_dtype');
  const algorithm = given.text('speculative_algorithm', 'speculative_algo');
  const uncached = given.switched('disable_radix_cache');
  const drafted = whole(given.number('speculative_num_draft_tokens'));
  return {
    ...(uncached === null ? {} : { prefix_caching: !uncached }),
    ...(cache === null || cache === 'auto' ? {} : { kv_cache_dtype: cache }),
    ...(algorithm === null ? {} : { speculative_decoding: true, speculative_algorithm: algorithm }),
    ...(algorithm === null || drafted === null ? {} : { draft_tokens: drafted }),
  };
}

/** The system in SGLang's arguments. Widths of 1 are the default; only `server_info` states them. */
export function systemOf(given: Arguments, origin: 'stated' | 'context'): SystemFacts {
  const named = modelFacts(given.text('model_path', 'model'), origin);
  const quantization = given.text('quantization');
  const tensor = whole(given.number('tp_size', 'tp', 'tensor_parallel_size'));
  const pipeline = whole(given.number('pp_size', 'pipeline_parallel_size'));
  const data = whole(given.number('dp_size', 'dp', 'data_parallel_size'));
  const expert = whole(given.number('ep_size', 'ep', 'expert_parallel_size'));
  const version = given.text('version');
  // Data parallel attention divides the tensor parallel GPUs; otherwise every replica has separate GPUs.
  const isInternal = given.switched('enable_dp_attention') === true;
  const isKnown = tensor !== null || pipeline !== null || (data !== null && !isInternal);
  const gpus = isKnown ? (tensor ?? 1) * (pipeline ?? 1) * (isInternal ? 1 : (data ?? 1)) : null;
  return {
    ...noFacts,
    ...named,
    quantization: quantization === null ? named.quantization : { value: quantization, origin },
    gpuCount: gpus === null ? null : { value: gpus, origin: 'inferred' },
    engine: { value: 'sglang', origin },
    engineVersion: version === null ? null : { value: version, origin },
    parallelism: {
      ...(tensor === null ? {} : { tensor }),
      ...(pipeline === null ? {} : { pipeline }),
      ...(data === null ? {} : { data }),
      ...(expert === null ? {} : { expert }),
    },
    features: { ...toFeatures(given), ...(isInternal ? { dp_attention: true } : {}) },
  };
}

/** The system of a program that runs SGLang in its own process, from its command line if present. */
export function inProcessSystem(context: RunContext | null): SystemFacts {
  if (context !== null) return systemOf(context, 'context');
  return { ...noFacts, engine: { value: 'sglang', origin: 'inferred' } };
}
