import { paretoFrontier } from '@inferboard/core/series/pareto';
import { formatLoad } from '@inferboard/core/subjects/load';
import type { Frontier } from '../features/submission/data/full-responses.ts';
import type { System } from '../lib/api.ts';
import { engineText, gpuText, quantizationText, systemTitle } from '../lib/words.ts';
import type { AxisChoice } from './axes.ts';
import type { ColourFact, ExplorerState } from './state.ts';

export type Measured = Frontier['data'][number];

const systemText = (system: Measured['system']) =>
  [systemTitle(system), quantizationText(system), gpuText(system), engineText(system)]
    .filter((part) => part !== null && part !== '')
    .join(', ');

/** The group of a point, in words. */
export const factText: Record<ColourFact, (point: Measured) => string> = {
  gpu: ({ system }) => system.gpu.title ?? system.gpu.name,
  model: ({ system }) => systemTitle(system),
  quantization: ({ system }) => quantizationText(system) ?? 'unspecified quantization',
  engine: ({ system }) => engineText(system) ?? 'unspecified engine',
  system: ({ system }) => systemText(system),
};

/** What a group is, within a sentence. */
export const groupWords: Record<ColourFact, string> = {
  ...{ gpu: 'GPU', model: 'model', quantization: 'quantization', engine: 'engine', system: 'system' },
};

/** Identifies a point in a URL. */
export const keyOf = (system: string, { mode, level }: { mode: string; level: number | null }) =>
  `${system}@${mode}-${level}`;

/** Description of a measurement. */
export const detailOf = ({ system, load }: Measured): string => `${systemText(system)}, ${formatLoad(load)}`;

/** Names of single systems, used instead of a shared fact, and the intervals of their points. */
export interface Naming {
  /** By system id, in legend order. */
  names: ReadonlyMap<string, string>;
  intervalsOf(point: Measured): { x: Interval; y: Interval };
}

export type Interval = readonly [number, number] | null;

export interface Group {
  name: string;
  /** Index of its colour and shape. */
  place: number;
  /** The points of each curve. */
  curves: Measured[][];
}

/** Points by colour group, the group with the best y first, and within each group by curve. */
export function groupsOf(points: readonly Measured[], { by, curves }: ExplorerState, y: AxisChoice['better']): Group[] {
  const best = (of: readonly Measured[]) => Math.max(...of.map((point) => (y === 'higher' ? point.y : -point.y)));
  return [...Map.groupBy(points, factText[by])]
    .toSorted(([a, of], [b, other]) => best(other) - best(of) || (a < b ? -1 : 1))
    .map(([name, of], place) => ({
      ...{ name, place },
      curves: curves === 'systems' ? [...Map.groupBy(of, ({ system }) => system.id).values()] : [of],
    }));
}

/** A group for each named system, with the same colour and shape in all charts. */
export function namedGroups(points: readonly Measured[], { names }: Naming): Group[] {
  return [...names].flatMap(([id, name], place) => {
    const own = points.filter(({ system }) => system.id === id);
    return own.length === 0 ? [] : [{ ...{ name, place }, curves: [own] }];
  });
}

/** The points that a curve connects: all of a system, else those that no other point of the group beats on both axes. */
export const onCurve = (
  of: readonly Measured[],
  curves: ExplorerState['curves'],
  [x, y]: readonly [AxisChoice, AxisChoice],
): ReadonlySet<Measured> =>
  new Set(
    curves === 'systems'
      ? of
      : paretoFrontier(of, [
          { of: (point) => point.x, better: x.better },
          { of: (point) => point.y, better: y.better },
        ]),
  );

const facts: readonly [ColourFact, (system: System) => string | null][] = [
  ['gpu', gpuText],
  ['model', systemTitle],
  ['quantization', quantizationText],
  ['engine', engineText],
];

/** The fact in which most of the systems differ. */
export function factThatDiffers(systems: readonly System[]): ColourFact {
  const kinds = facts.map(([fact, textOf]) => ({ fact, count: new Set(systems.map(textOf)).size }));
  return kinds.toSorted((a, b) => b.count - a.count)[0]?.fact ?? 'gpu';
}
