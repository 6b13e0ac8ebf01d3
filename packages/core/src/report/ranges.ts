import { scenarioKeyOf } from './figures.ts';
import type { Figure, Range } from './types.ts';

/** Lowest and highest value over the scenarios at each load, in level order. */
export function rangesOf(figures: readonly Figure[]): Range[] {
  const byLevel = Map.groupBy(figures, ({ load }) => load.level);
  return [...byLevel.values()]
    .flatMap((all) => {
      const [first] = all;
      if (first === undefined) return [];
      const low = all.reduce((a, b) => (b.value < a.value ? b : a), first);
      const high = all.reduce((a, b) => (b.value > a.value ? b : a), first);
      const scenarios = new Set(all.map(({ scenario }) => scenarioKeyOf(scenario))).size;
      return [{ metric: first.metric, unit: first.unit, load: first.load, scenarios, low, high }];
    })
    .sort((a, b) => (a.load.level ?? 0) - (b.load.level ?? 0));
}
