import { numbered } from './numbered.ts';
import type { PointTable, SystemKeys } from './point-table.ts';
import { pointCodes } from './point-table.ts';
import { createMemory } from './remembered.ts';

type KeyOf = { of: 'system'; key(system: SystemKeys): string } | { of: 'scenario' | 'workload' | 'load' };

const ofSystem = (key: (system: SystemKeys) => string): KeyOf => ({ of: 'system', key });

/** One recipe is not another: w8a8-int8 made by smooth_gptq is told from w8a8-int8 alone. The catalogue reads the key. */
function quantizationOf({ quantizationId, quantizationKey, quantizationRecipe }: SystemKeys): string {
  return quantizationId === null ? quantizationKey : [quantizationId, ...[...quantizationRecipe].sort()].join('_');
}

/** What points may be grouped by, and how they are told apart by it: what has no id by its name. */
const keys = {
  model: ofSystem((s) => s.modelId ?? s.modelFamily ?? s.modelKey),
  model_family: ofSystem((s) => s.modelFamily ?? s.modelKey),
  quantization: ofSystem(quantizationOf),
  gpu: ofSystem((s) => s.gpuId ?? s.gpuFamily ?? s.gpuKey),
  gpu_count: ofSystem((s) => s.gpuCount?.toString() ?? ''),
  engine: ofSystem((s) => s.engineId ?? s.engineKey),
  scenario: { of: 'scenario' },
  workload: { of: 'workload' },
  system: ofSystem((s) => s.id),
  load: { of: 'load' },
} satisfies Record<string, KeyOf>;

export type Dimension = keyof typeof keys;
export const dimensions = Object.keys(keys) as [Dimension, ...Dimension[]];

/** Subjects of one dimension as numbers from 0: that of a row is the code of its place in a column. */
export interface Subjects {
  keys: readonly string[];
  column: Int32Array;
  codes: Int32Array;
}

/** The subject of each of some rows, as numbers from 0 to before `count`. */
export interface SubjectsOfRows {
  of: Int32Array;
  count: number;
}

/** The subjects of rows, in their order. */
export function subjectsOfRows({ keys: words, column, codes }: Subjects, rows: Int32Array): SubjectsOfRows {
  const of = new Int32Array(rows.length);
  for (let at = 0; at < rows.length; at += 1) of[at] = codes[column[rows[at] as number] as number] as number;
  return { of, count: words.length };
}

/** Numbers pairs of subjects from 0 as they are met: most never occur. */
export function createPairs(): (first: SubjectsOfRows, second: SubjectsOfRows) => SubjectsOfRows {
  const known = new Map<number, number>();
  return (first, second) => {
    const of = first.of.map((one, at) => {
      const pair = one * second.count + (second.of[at] as number);
      const code = known.get(pair) ?? known.size;
      if (code === known.size) known.set(pair, code);
      return code;
    });
    return { of, count: known.size };
  };
}

/** Eight answers at most: one holds a number for each row. */
const rememberedLoads = createMemory<Subjects>();

/** Loads of all rows. Hardly anybody asks by them. */
function loadsOf(table: PointTable): Subjects {
  return rememberedLoads(table, 'load', () => {
    const known = new Map<string, number>();
    const column = new Int32Array(table.length);
    for (let row = 0; row < table.length; row += 1) {
      const level = table.loadLevel[row] as number;
      const word = `${pointCodes.loadMode[table.loadMode[row] as number]} ${Number.isNaN(level) ? '' : level}`;
      const code = known.get(word) ?? known.size;
      known.set(word, code);
      column[row] = code;
    }
    return { keys: [...known.keys()], column, codes: Int32Array.from(known.values()) };
  });
}

/** The subjects that rows of a table are of. */
export function subjectsOf(table: PointTable, dimension: Dimension): Subjects {
  const key: KeyOf = keys[dimension];
  if (key.of === 'load') return loadsOf(table);
  if (key.of === 'system') {
    const { codes, keys: words } = numbered(table.systems, dimension, key.key);
    return { keys: words, column: table.system, codes };
  }
  const [column, names] = key.of === 'scenario' ? [table.scenario, table.scenarios] : [table.workload, table.workloads];
  const { codes, keys: words } = numbered(names, dimension, (name) => name);
  return { keys: words, column, codes };
}
