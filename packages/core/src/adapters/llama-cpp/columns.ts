import type { LlamaRow } from './table.ts';

type Values = Record<string, string | number | boolean>;

/** Columns with a dedicated field in a result. */
const own = new Set(['model', 'size', 'params', 'backend', 'test', 't/s']);
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
/** Settings that define a different system. They are printed only if they differ from the default. */
const settings = new Set([
  'flash_attention',
  'type_k',
  'type_v',
  'threads',
  'n_batch',
  'n_ubatch',
  'n_cpu_moe',
  'split_mode',
  'main_gpu',
  'no_kv_offload',
  'devices',
  'tensor_split',
  'override_tensor',
  'embeddings',
  'no_op_offload',
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

/** Columns with more than one value in a table: the settings that the run compared. */
export function varyingColumns(rows: readonly LlamaRow[]): ReadonlySet<string> {
  const varying = new Set<string>();
  const [first] = rows;
  for (const row of rows)
    for (const [column, text] of row.cells) if (first?.cells.get(column) !== text) varying.add(column);
  return varying;
}

/**
 * Sorts the optional columns of a row: settings that define a different system are features, the others are extra. A column
 * whose value changes within its table (`varying`) is always a feature, because rows with different values are not
 * repetitions.
 */
export function readColumns(row: LlamaRow, varying: ReadonlySet<string>): { features: Values; extra: Values } {
  const features: Values = {};
  const extra: Values = {};
  for (const [column, text] of row.cells) {
    if (own.has(column) || column === '' || text === '') continue;
    const name = (Object.hasOwn(names, column) ? names[column] : undefined) ?? column;
    const target = settings.has(name) || varying.has(column) ? features : extra;
    target[name] = toValue(name, text.slice(0, 200));
  }
  const isOnGpu = !/^(?:cpu|blas)$/i.test(row.cells.get('backend') ?? '');
  const { n_cpu_moe: expertsOnCpu = 0, no_kv_offload: cacheOnCpu = false } = features;
  if ((isOnGpu && row.cells.get('ngl') === '0') || Number(expertsOnCpu) > 0 || cacheOnCpu === true)
    features.offload = true;
  return { features, extra };
}
