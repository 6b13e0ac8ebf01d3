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
  keys: string[];
  of(row: number): number;
}

function numbered(words: Iterable<string>): { codes: Int32Array; keys: string[] } {
  const known = new Map<string, number>();
  const codes = Int32Array.from(words, (word) => {
    const code = known.get(word) ?? known.size;
    known.set(word, code);
    return code;
  });
  return { codes, keys: [...known.keys()] };
}

/** The subjects that rows of a table are of. Those of a load are known once all rows in question were asked for. */
export function subjectsOf(table: PointTable, dimension: Dimension): Subjects {
  const key: KeyOf = keys[dimension];
  if (key.of === 'system') {
    const { codes, keys: words } = numbered(table.systems.map((system) => key.key(system)));
    return { keys: words, of: (row) => codes[table.system[row] as number] as number };
  }
  if (key.of === 'scenario') {
    const { codes, keys: words } = numbered(table.scenarios);
    return { keys: words, of: (row) => codes[table.scenario[row] as number] as number };
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
