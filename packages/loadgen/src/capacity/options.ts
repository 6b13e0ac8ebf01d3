import type { AskedPlan } from '@inferboard/core/plans/read-plan';
import { readUntil, type Until } from '@inferboard/core/plans/until';
import { answersDocument, type Endpoint } from '../prompts/body.ts';
import type { FindPlan } from './find-source.ts';
import { type LatencyLimit, type RequestLimits, readLimits, readRequestLimits, requestLimitsOf } from './limits.ts';
import { usualSearch } from './search.ts';

/** What each option is, for `--help`. */
export const capacityOptions = {
  find: 'finds the highest load that meets limits, such as ttft_p99<2000,tpot_p99<50; starts at --concurrency or --rate (two levels: from and to)',
  until: 'repeats each point until its 95 % intervals are narrow, such as ci=2% or ci=2%,max=20',
  slo: 'limits of one request in ms for the goodput, such as ttft<500,tpot<30; those of --find by default',
} as const;

/** What is wrong with the limits of an endpoint that generates no tokens, and whose requests have only a time to their end. */
export function documentFaults(
  endpoint: Endpoint | null,
  { find, requestLimits }: { find: readonly LatencyLimit[] | null; requestLimits: RequestLimits | undefined },
): string[] {
  if (endpoint === null || !answersDocument(endpoint)) return [];
  const without = (option: string, metrics: readonly string[]) => {
    const named = [...new Set(metrics)].filter((metric) => metric !== 'e2e').map((metric) => metric.toUpperCase());
    return named.length === 0
      ? []
      : [`--${option}: --endpoint ${endpoint} has no ${named.join(' and no ')}. Limit e2e.`];
  };
  const inFind = without('find', find?.map(({ metric }) => metric) ?? []);
  // By default, the limits of a request are those of the search.
  if (inFind.length > 0) return inFind;
  return without(
    'slo',
    Object.keys(requestLimits ?? {}).map((name) => name.replace(/_ms$/, '')),
  );
}

export interface CapacityOptions {
  until: Until | null;
  requestLimits: RequestLimits | undefined;
}

/** Options that choose points or arrivals. */
const notWithFind = ['until', 'plan', 'repetitions', 'replay', 'ramp', 'burstiness', 'max-concurrency'] as const;

type Given = Partial<Record<keyof typeof capacityOptions | (typeof notWithFind)[number], string>>;

/** Reads the options, and adds to `faults` what is wrong with them. */
export function readCapacityOptions(
  given: Given,
  faults: string[],
): CapacityOptions & { findLimits: LatencyLimit[] | null } {
  const read = <Value>(name: keyof typeof capacityOptions, reader: (text: string) => Value): Value | null => {
    const text = given[name];
    if (text === undefined) return null;
    try {
      return reader(text);
    } catch (error) {
      faults.push(`--${name}: ${error instanceof Error ? error.message : error}`);
      return null;
    }
  };
  const find = read('find', readLimits);
  const until = read('until', readUntil);
  const slo = read('slo', readRequestLimits);
  if (find !== null)
    for (const other of notWithFind)
      if (given[other] !== undefined) faults.push(`--find chooses its points itself. Remove --${other}.`);
  if (until !== null && given.repetitions !== undefined) faults.push('Use --until or --repetitions, not both.');
  return { findLimits: find, until, requestLimits: slo ?? (find === null ? undefined : requestLimitsOf(find)) };
}

/** A search without its seed, which the caller draws. */
export type Search = Omit<FindPlan, 'seed'>;

const highestUsual = { concurrency: 4096, rate: 10_000 };

/**
 * The search that options ask for: the first level is where it starts, a second one is the highest that it tries.
 *
 * @throws RangeError on a plan that is no such search
 */
export function searchOf(
  limits: readonly LatencyLimit[],
  { plan, warmup, limits: budget }: Pick<AskedPlan, 'plan' | 'warmup' | 'limits'>,
  requests: number | null,
): Search {
  const items = typeof plan === 'string' ? [] : plan;
  const [from, to = from] = items;
  const mode = from?.load.mode;
  if (from === undefined || (mode !== 'rate' && mode !== 'concurrency') || to?.load.mode !== mode || items.length > 2)
    throw new RangeError('--find needs --concurrency or --rate with one level to start at, or two: from and to.');
  if (to.load.level < from.load.level)
    throw new RangeError(
      `--find searches upwards. Write --${mode} ${to.load.level},${from.load.level}: first the lower level, then the higher one.`,
    );
  const highest = items.length === 2 ? (to?.load.level ?? 0) : highestUsual[mode];
  return {
    ...{ scenario: from.scenario, limits, requests, warmup, durationS: budget.durationS },
    search: { ...usualSearch, mode, first: from.load.level, highest: Math.max(from.load.level, highest) },
  };
}
