import type { LlamaRow } from './table.ts';

type Values = Record<string, string | number | boolean>;

/**
 * Columns with a dedicated field in a result. llama-bench has no column `quant`: the table is edited, or from another program, such as
 * llama-tornado.
 */
const own = new Set(['model', 'quant', 'size', 'params', 'backend', 'test', 't/s']);
/** Full names of abbreviated columns. */
const names: Record<string, string> = {
  ngl: 'n_gpu_layers',
  fa: 'flash_attention',
  sm: 'split_mode',
  nkvo: 'no_kv_offload',
  dev: 'devices',
  ts: 'tensor_split',
  ot: 'override_tensor',
  embd: 'embeddings',
  nopo: 'no_op_offload',
  noh: 'no_host',
  dio: 'direct_io',
  lm: 'load_mode',
  fitt: 'fit_target',
  fitc: 'fit_context',
};
/**
 * Settings that do not define a different system. All other columns do, including those of forks: llama-bench prints a
 * setting only if it differs from the default.
 */
const neutral = new Set([
  'mmap',
  'direct_io',
  'load_mode',
  'no_host',
  'fit_target',
  'fit_context',
  'cpu_mask',
  'cpu_strict',
  'poll',
  'prio',
]);
/** Columns of ik_llama.cpp's llama-bench that llama.cpp's does not have. */
const ofFork = new Set([
  'rtr',
  'mla',
  'amb',
  'ser',
  'fmoe',
  'mqkv',
  'ger',
  'gr',
  'muge',
  'khad',
  'vhad',
  'rcache',
  'thp',
]);
const switches = new Set(['flash_attention', 'no_kv_offload', 'embeddings', 'no_op_offload']);

function toValue(name: string, text: string): string | number | boolean {
  if (switches.has(name)) {
    if (/^(?:0|off|false)$/i.test(text)) return false;
    if (/^(?:1|on|true)$/i.test(text)) return true;
    if (/^(?:-1|auto)$/i.test(text)) return 'auto';
  }
  return /^-?\d{1,15}$/.test(text) ? Number(text) : text;
}

/** True for the columns of ik_llama.cpp's llama-bench. */
export const isOfFork = (columns: readonly string[]): boolean => columns.some((column) => ofFork.has(column));

/**
 * The backend as a fact of the system; null if the GPU implies it. Metal builds have BLAS for the CPU's part too.
 */
function toBackend(text: string): string | null {
  const parts = text
    .toLowerCase()
    .split(/[,+/]/)
    .map((part) => part.trim().replace(/^metal$/, 'mtl'));
  const kept = parts.filter((part) => part !== '' && !(part === 'blas' && parts.includes('mtl')));
  const backend = [...new Set(kept)].sort().join('+');
  return backend === '' || backend === 'cuda' || backend === 'mtl' ? null : backend.slice(0, 100);
}

/** With this many layers or more, or -1, all are on the GPU. Only models with over a hundred billion parameters have more. */
const layersMost = 99;
const isWhole = (layers: Values[string]) => Number(layers) < 0 || Number(layers) >= layersMost;

/** Columns with more than one value in a table: the settings that the run compared. */
export function varyingColumns(rows: readonly LlamaRow[]): ReadonlySet<string> {
  const varying = new Set<string>();
  const [first] = rows;
  for (const row of rows)
    for (const [column, text] of row.cells) if (first?.cells.get(column) !== text) varying.add(column);
  return varying;
}

/**
 * Sorts the optional columns of a row: settings that define a different system are features, as is the backend, the others are
 * extra. A column whose value changes within its table (`varying`) is always a feature, because rows with different values are not
 * repetitions.
 */
export function readColumns(row: LlamaRow, varying: ReadonlySet<string>): { features: Values; extra: Values } {
  const features: Values = {};
  const extra: Values = {};
  const backend = row.cells.get('backend') ?? '';
  const isOnGpu = !/^(?:cpu|blas)$/i.test(backend);
  for (const [column, text] of row.cells) {
    if (own.has(column) || column === '' || text === '') continue;
    const name = (Object.hasOwn(names, column) ? names[column] : undefined) ?? column;
    const value = toValue(name, text.slice(0, 200));
    const isNeutral = name === 'n_gpu_layers' ? !isOnGpu || isWhole(value) : neutral.has(name);
    const target = isNeutral && !varying.has(column) ? extra : features;
    target[name] = value;
  }
  const { n_cpu_moe: expertsOnCpu = 0, no_kv_offload: cacheOnCpu = false } = features;
  if ((isOnGpu && row.cells.get('ngl') === '0') || Number(expertsOnCpu) > 0 || cacheOnCpu === true)
    features.offload = true;
  const stated = toBackend(backend);
  if (stated !== null) features.backend = stated;
  return { features, extra };
}
