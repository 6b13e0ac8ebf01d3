import { numbered } from './numbered.ts';
import type { PointTable, SystemKeys } from './point-table.ts';
import { pointCodes } from './point-table.ts';

type KeyOf = { of: 'system'; key(system: SystemKeys): string } | { of: 'scenario' } | { of: 'load' };

const ofSystem = (key: (system: SystemKeys) => string): KeyOf => ({ of: 'system', key });

/** What points may be grouped by, and how they are told apart by it: what has no id by its name. */
const keys = {
  model: ofSystem((s) => s.modelId ?? s.modelFamily ?? s.modelKey),
  model_family: ofSystem((s) => s.modelFamily ?? s.modelKey),
  quantization: ofSystem((s) => s.quantizationId ?? s.quantizationKey),
  gpu: ofSystem((s) => s.gpuId ?? s.gpuFamily ?? s.gpuKey),
  gpu_count: ofSystem((s) => s.gpuCount?.toString() ?? ''),
  engine: ofSystem((s) => s.engineId ?? s.engineKey),
  scenario: { of: 'scenario' },
  system: ofSystem((s) => s.id),
  load: { of: 'load' },
} satisfies Record<string, KeyOf>;

export type Dimension = keyof typeof keys;
export const dimensions = Object.keys(keys) as [Dimension, ...Dimension[]];

/** Subjects of one dimension as numbers from 0. */
export interface Subjects {
  keys: readonly string[];
  of(row: number): number;
}

/** The subjects that rows of a table are of. Those of a load are known once all rows in question were asked for. */
export function subjectsOf(table: PointTable, dimension: Dimension): Subjects {
  const key: KeyOf = keys[dimension];
  if (key.of !== 'load') {
    const [column, { codes, keys: words }] =
      key.of === 'system'
        ? [table.system, numbered(table.systems, dimension, key.key)]
        : [table.scenario, numbered(table.scenarios, dimension, (name) => name)];
    return { keys: words, of: (row) => codes[column[row] as number] as number };
  }
  const words: string[] = [];
  const known = new Map<string, number>();
  return {
    keys: words,
    of: (row) => {
      const level = table.loadLevel[row] as number;
      const word = `${pointCodes.loadMode[table.loadMode[row] as number]} ${Number.isNaN(level) ? '' : level}`;
      const code = known.get(word) ?? known.size;
      if (code === known.size) {
        known.set(word, code);
        words.push(word);
      }
      return code;
    },
  };
}
