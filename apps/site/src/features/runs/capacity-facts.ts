import { formatLoad, type KnownLoad } from '@inferboard/core/subjects/load';
import type { Run } from '../../lib/api.ts';
import { formatCount, formatPlural } from '../../lib/format.ts';

type Capacity = NonNullable<Run['capacity']>;

const endTexts: Record<string, string> = {
  found: 'The interval is narrow enough.',
  highest_holds: 'The highest load that the search may measure met the limits.',
  lowest_fails: 'The lowest load missed a limit.',
  noise: 'Repetitions differ too much for a narrower interval or a certain verdict.',
  points: 'The search used its budget.',
};

const boundText = (bound: string) =>
  bound === 'saturation'
    ? 'saturation: requests queue faster than the server completes them'
    : bound === 'failures'
      ? 'failed requests'
      : `the limit ${bound}`;

/** The headline of a search: the load at the limit, or that there is none yet. */
export function capacityHeadline({ mode, limits, found }: Capacity, isOver: boolean): string {
  const under = `under ${limits.join(', ')}`;
  if (found === null) return isOver ? `No point ${under} was measured.` : `Searching for the highest load ${under}.`;
  if (found.level === null) return found.end === null ? `No load ${under} found yet.` : `No load ${under} was found.`;
  // An interpolated number of users may have a fraction.
  const level = mode === 'concurrency' ? Math.floor(found.level) : Number(found.level.toPrecision(4));
  return `${formatLoad({ mode, level } as KnownLoad)} ${under}${found.end === null ? ', so far' : ''}`;
}

/** What a search found, and what it may spend, as labelled facts. */
export function capacityFacts(capacity: Capacity, isOver: boolean): { fact: string; value: string }[] {
  const { mode, from, to, budget, found } = capacity;
  const say = (level: number) => formatLoad({ mode, level: Number(level.toPrecision(4)) } as KnownLoad);
  const { meets = null, misses = null } = found?.interval ?? {};
  // Whole loads next to each other cannot be nearer.
  const isNext = mode === 'concurrency' && meets !== null && misses !== null && misses - meets <= 1;
  const width =
    meets === null || misses === null || isNext ? '' : ` (${(100 * (misses / meets - 1)).toFixed(1)} % higher)`;
  const most = [
    formatPlural(budget.points, 'point'),
    formatPlural(budget.requests, 'request'),
    budget.tokens === null ? null : formatPlural(budget.tokens, 'token'),
    budget.duration_s === null ? null : formatPlural(budget.duration_s, 'second'),
  ].filter((part) => part !== null);
  const interval =
    mode === 'rate' && meets !== null && misses !== null
      ? [{ fact: 'With a probability of 80 %', value: `between ${say(meets)} and ${say(misses)}${width}` }]
      : [
          { fact: 'Meets the limits', value: meets === null ? 'no load yet' : say(meets) },
          { fact: 'Misses a limit', value: misses === null ? 'no load yet' : `${say(misses)}${width}` },
        ];
  return [
    ...interval,
    ...(found?.bound == null ? [] : [{ fact: 'Bound by', value: boundText(found.bound) }]),
    ...(found?.completed_req_s == null
      ? []
      : [{ fact: 'Completed below the limit', value: `${found.completed_req_s.toPrecision(3)} req/s` }]),
    ...(found?.saturated_from == null ? [] : [{ fact: 'Throughput is flat from', value: say(found.saturated_from) }]),
    ...(found == null
      ? []
      : [
          {
            fact: 'Measured',
            value: `${formatPlural(found.points, 'point')}, ${formatCount(found.requests)} requests`,
          },
        ]),
    { fact: 'Searched', value: `${say(from)} to ${say(to)}` },
    { fact: 'Budget', value: most.join(', ') },
    ...(found?.end == null ? [] : [{ fact: 'Ended', value: endTexts[found.end] ?? found.end }]),
    ...(isOver && found?.end == null ? [{ fact: 'Ended', value: 'The run ended before the search.' }] : []),
  ];
}
