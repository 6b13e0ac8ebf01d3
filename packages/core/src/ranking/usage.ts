import { resultStatuses } from '../result.ts';
import type { PointTable, SystemKeys } from './point-table.ts';
import { createMemory } from './remembered.ts';

/** One fact of a system: the catalogue's word for it, or what tells those apart that the catalogue does not know. */
interface Fact {
  known(system: SystemKeys): string | null;
  otherwise(system: SystemKeys): string;
}

const facts = {
  model: { known: (s) => s.modelId, otherwise: (s) => s.modelKey },
  gpu: { known: (s) => s.gpuId ?? s.gpuFamily, otherwise: (s) => s.gpuKey },
  quantization: {
    known: (s) => (s.quantizationRecipe.length === 0 ? s.quantizationId : null),
    otherwise: (s) => JSON.stringify([s.quantizationKey, s.quantizationRecipe]),
  },
  engine: { known: (s) => s.engineId, otherwise: (s) => s.engineKey },
} satisfies Record<string, Fact>;

/** Kinds of facts whose values a reader may filter by. */
export type UsageKind = keyof typeof facts | 'scenario';

export interface Usage {
  /** The catalogue's word, or a scenario's name; null where the catalogue has none. */
  value: string | null;
  /** A system of that value, whose name for it is as good as any. */
  system: string;
  /** Ranked points. */
  points: number;
}

const accepted = resultStatuses.indexOf('accepted');
const remembered = createMemory<readonly Usage[]>();

/** Accepted points of each place in a list, by the column that holds places of it. A point's rows lie together. */
function countPlaces({ length, status, pointId }: PointTable, column: Int32Array, places: number): Int32Array {
  const counts = new Int32Array(places);
  let before = -1;
  for (let row = 0; row < length; row += 1) {
    if (status[row] !== accepted) continue;
    const point = pointId[row] as number;
    if (point === before) continue;
    before = point;
    const place = column[row] as number;
    counts[place] = (counts[place] as number) + 1;
  }
  return counts;
}

/** Values of a fact that ranked points have, each with how many. O(rows), once for each state of the table. */
export function usageOf(table: PointTable, kind: UsageKind): readonly Usage[] {
  return remembered(table, kind, () => {
    const usages = new Map<string, Usage>();
    const take = (key: string, value: string | null, system: string, points: number) => {
      const usage = usages.get(key) ?? { value, system, points: 0 };
      usages.set(key, usage);
      usage.points += points;
    };
    if (kind === 'scenario') {
      const counts = countPlaces(table, table.scenario, table.scenarios.length);
      for (const [place, points] of counts.entries())
        if (points > 0) take(table.scenarios[place] ?? '', table.scenarios[place] ?? '', '', points);
    } else {
      const { known, otherwise } = facts[kind];
      for (const [place, points] of countPlaces(table, table.system, table.systems.length).entries()) {
        const system = table.systems[place];
        if (points === 0 || system === undefined) continue;
        const value = known(system);
        take(value === null ? `? ${otherwise(system)}` : value, value, system.id, points);
      }
    }
    return [...usages.values()];
  });
}
