import { noFacts, type SystemFacts } from '../adapter.ts';
import { modelFacts } from '../reading/context/model-name.ts';
import type { Arguments } from '../reading/context/run-context.ts';
import { isObject, type JsonObject } from '../reading/documents/json-records.ts';
import { parseNumber } from '../reading/figures/numbers.ts';

const longest = 300;
const longestConfig = 2000;

/** The scalar fields of an object as arguments. Sweeps also write names with dashes. */
export function argumentsOf(fields: JsonObject): Arguments {
  const value = (name: string) => {
    const dashed = name.replaceAll('_', '-');
    return Object.hasOwn(fields, name) ? fields[name] : Object.hasOwn(fields, dashed) ? fields[dashed] : undefined;
  };
  const text = (...names: string[]) => {
    for (const name of names) {
      const found = value(name);
      if (typeof found === 'string' && found !== '' && found.length <= longest) return found;
      if (typeof found === 'number') return String(found);
      // The only nested argument that is read.
      if (name === 'speculative_config' && isObject(found)) return JSON.stringify(found).slice(0, longestConfig);
    }
    return null;
  };
  return {
    text,
    number: (...names) => {
      const number = parseNumber(text(...names) ?? '');
      return number !== null && number > 0 ? number : null;
    },
    switched: (name) => {
      const found = value(name);
      return typeof found === 'boolean' ? found : null;
    },
  };
}

function whole(value: number | null): number | null {
  return value !== null && Number.isSafeInteger(value) ? value : null;
}

/** Names that `toSystem` reads. */
export const systemArguments: ReadonlySet<string> = new Set([
  'model',
  'quantization',
  'dtype',
  'tensor_parallel_size',
  'pipeline_parallel_size',
  'data_parallel_size',
  'enable_expert_parallel',
  'kv_cache_dtype',
  'enable_prefix_caching',
  'enable_chunked_prefill',
  'enforce_eager',
  'max_num_seqs',
  'max_num_batched_tokens',
  'num_speculative_tokens',
  'speculative_model',
  'speculative_config',
]);

/** Settings that distinguish systems with the same model and GPU. Switches left at `None` have the engine's default. */
function toFeatures(given: Arguments): SystemFacts['features'] {
  const cache = given.text('kv_cache_dtype');
  const prefixes = given.switched('enable_prefix_caching');
  const chunked = given.switched('enable_chunked_prefill');
  const config = given.text('speculative_config');
  const drafted = whole(
    given.number('num_speculative_tokens') ??
      parseNumber(/["']num_speculative_tokens["']\s{0,9}:\s{0,9}(\d{1,4})/.exec(config ?? '')?.[1] ?? ''),
  );
  const speculates = config !== null || given.text('speculative_model') !== null;
  const sequences = whole(given.number('max_num_seqs'));
  const batched = whole(given.number('max_num_batched_tokens'));
  return {
    ...(cache === null || cache === 'auto' ? {} : { kv_cache_dtype: cache }),
    ...(prefixes === null ? {} : { prefix_caching: prefixes }),
    ...(chunked === null ? {} : { chunked_prefill: chunked }),
    ...(given.switched('enforce_eager') === true ? { enforce_eager: true } : {}),
    ...(given.switched('enable_expert_parallel') === true ? { enable_expert_parallel: true } : {}),
    ...(speculates || drafted !== null ? { speculative_decoding: true } : {}),
    ...(drafted === null ? {} : { draft_tokens: drafted }),
    ...(sequences === null ? {} : { max_num_seqs: sequences }),
    ...(batched === null ? {} : { max_num_batched_tokens: batched }),
  };
}

/** The system in the engine's own arguments: those of a program that runs vLLM, or of a sweep's server. */
export function toSystem(given: Arguments, origin: 'stated' | 'context'): SystemFacts {
  const named = modelFacts(given.text('model', 'm'), origin);
  const quantization = given.text('quantization');
  const tensor = whole(given.number('tensor_parallel_size', 'tp'));
  const pipeline = whole(given.number('pipeline_parallel_size', 'pp'));
  const data = whole(given.number('data_parallel_size', 'dp'));
  // Each of them is 1 by default.
  const isKnown = tensor !== null || pipeline !== null || data !== null;
  const gpus = isKnown ? (tensor ?? 1) * (pipeline ?? 1) * (data ?? 1) : null;
  return {
    ...noFacts,
    ...named,
    quantization: quantization === null ? named.quantization : { value: quantization, origin },
    gpuCount: gpus === null ? null : { value: gpus, origin: 'inferred' },
    parallelism: {
      ...(tensor === null ? {} : { tensor }),
      ...(pipeline === null ? {} : { pipeline }),
      ...(data === null ? {} : { data }),
    },
    features: toFeatures(given),
  };
}
