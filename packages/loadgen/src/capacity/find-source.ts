import { planItem } from '@inferboard/core/plans/items';
import type { PlanScenario } from '@inferboard/core/plans/made-up-prompts';
import { type PlanPoint, pointOf } from '@inferboard/core/plans/point';
import { formatLoad, type KnownLoad } from '@inferboard/core/subjects/load';
import type { MeasuredPoint } from '../points/measure-point.ts';
import { formatLimit, type LatencyLimit } from './limits.ts';
import { observe } from './observe.ts';
import { type PointSource, requestsSoFar } from './point-source.ts';
import { type Capacity, nextProbe, type Probe, type SearchOptions, type Step } from './search.ts';

/** A search for the capacity. */
export interface FindPlan {
  scenario: PlanScenario;
  limits: readonly LatencyLimit[];
  search: SearchOptions;
  seed: number;
  /** Requests of a point near the limit; null: as many as its load needs. */
  requests: number | null;
  warmup: number | null;
  /** Seconds of sending over all points; null: no limit. */
  durationS: number | null;
}

/**
 * Waves of users, or seconds of arrivals, of a short point and of one near the limit, and minimum requests. Arrivals
 * continue for several response times, because requests do not queue before the first ones end.
 */
const sizes = {
  coarse: { waves: 4, seconds: 8, answers: 2, least: 16 },
  fine: { waves: 8, seconds: 20, answers: 5, least: 100 },
};

function requestsFor({ level, isFine }: Probe, { search, requests }: FindPlan, answerS: number): number {
  const { waves, seconds, answers, least } = sizes[isFine ? 'fine' : 'coarse'];
  const isOpen = search.mode === 'rate';
  if (requests !== null) return Math.max(isOpen ? 1 : level, isFine ? requests : Math.ceil(requests / 2));
  return Math.ceil(Math.max(least, level * (isOpen ? Math.max(seconds, answers * answerS) : waves)));
}

/** The point that measures a load, the `repetition`th of it. `answerS`: seconds of an answer of the idle server. */
export function pointFor(probe: Probe, repetition: number, plan: FindPlan, answerS: number): PlanPoint {
  const load: KnownLoad = { mode: plan.search.mode, level: probe.level };
  const requests = requestsFor(probe, plan, answerS);
  return pointOf(planItem(plan.scenario, load, { requests, warmup: plan.warmup ?? undefined }), repetition, plan.seed);
}

/** `nextProbe` requested every point, so replaying the history shows which of them were fine. */
function replay(measured: readonly MeasuredPoint[], { limits, search }: FindPlan): { step: Step; sentS: number } {
  let step = nextProbe([], search);
  const history = [];
  let sentS = 0;
  for (const one of measured) {
    if (!('probe' in step)) break;
    history.push(observe(one, limits, step.probe.isFine));
    sentS += one.record.duration_ms / 1000;
    step = nextProbe(history, search);
  }
  return { step, sentS };
}

const ends: Record<Capacity['end'], string> = {
  found: '',
  highest_holds: 'The highest load that the search may try met the limits.',
  lowest_fails: 'The lowest load missed a limit.',
  noise: 'Repetitions differ too much for a narrower interval.',
  points: 'The search ended before its interval was narrow enough.',
};

/** Why a search ended; the highest or the lowest load can have an uncertain verdict. */
function endWords({ end, level, interval: [, hi] }: Capacity, say: (level: number) => string): string {
  if (end !== 'noise' || (level !== null && hi !== null)) return ends[end];
  const load = level === null ? 'the lowest load' : say(level);
  return `It is uncertain whether ${load} ${level === null ? 'misses' : 'meets'} the limits, because repetitions differ too much.`;
}

const boundWords = (bound: string) =>
  bound === 'saturation' ? 'its queue kept growing' : bound === 'failures' ? 'requests failed' : `missed ${bound}`;

/** The capacity as far as the verdicts of the search are certain; null if certainly no load met the limits. */
function capacityText(
  found: Capacity,
  mode: FindPlan['search']['mode'],
  say: (level: number) => string,
): string | null {
  const { end, level, bound, interval } = found;
  const [lo, hi] = interval;
  if (level === null) return end !== 'noise' ? null : hi === null ? 'unknown' : `below ${say(hi)}`;
  if (lo !== null && hi !== null) return say(level);
  // Some load missed a limit, so the capacity is between measured loads.
  if (bound !== null) return `about ${say(level)}`;
  if (lo !== null || mode === 'rate') return `at least ${say(lo ?? level)}`;
  return end === 'noise' ? 'unknown' : `probably at least ${say(level)}`;
}

const slowdownWords = ({ first, last }: { first: number; last: number }) =>
  `The server became slower during the search: at full load it completed ${first.toPrecision(3)} req/s in the first half of the points and ${last.toPrecision(3)} req/s in the last, so a later search finds another capacity.`;

/** The result of a search in sentences: the limit, the capacity, its interval, what bounds it, and what it cost. */
export function capacityWords(found: Capacity, plan: FindPlan, spent: { points: number; requests: number }): string[] {
  const { mode } = plan.search;
  const say = (level: number) => formatLoad({ mode, level: Number(level.toPrecision(4)) });
  const [lo, hi] = found.interval;
  const limits = plan.limits.map(formatLimit).join(', ');
  const capacity = capacityText(found, mode, say);
  const width = lo === null || hi === null ? '' : ` (${(100 * (hi / lo - 1)).toFixed(1)} %)`;
  const sentences = [
    capacity === null ? `No load met ${limits}.` : `Capacity under ${limits}: ${capacity}.`,
    ...(mode === 'rate' && lo !== null && hi !== null
      ? [`It is between ${say(lo)} and ${say(hi)}${width} with a probability of 80 %.`]
      : [lo === null ? '' : `${say(lo)} met the limits.`, hi === null ? '' : `${say(hi)} did not${width}.`]),
    found.bound === null ? '' : `Above the capacity: ${boundWords(found.bound)}.`,
    found.completed_req_s === null || found.level === null || capacity === 'unknown'
      ? ''
      : `At the highest load up to the capacity that met the limits, the server completed ${found.completed_req_s.toPrecision(3)} req/s.`,
    found.saturatedFrom === null ? '' : `Throughput is flat and requests queue at ${say(found.saturatedFrom)}.`,
    found.slowdown === null ? '' : slowdownWords(found.slowdown),
    endWords(found, say),
    `${spent.points} points, ${spent.requests} requests.`,
  ];
  return [sentences.filter((sentence) => sentence !== '').join(' ')];
}

/** The points of a search for the capacity. */
export function findPoints(plan: FindPlan): PointSource {
  const capacityOf = (measured: readonly MeasuredPoint[]): Capacity => {
    const { step } = replay(measured, plan);
    if ('done' in step) return step.done;
    const last = replay(measured, { ...plan, search: { ...plan.search, pointsMax: measured.length } }).step;
    if ('done' in last) return last.done;
    throw new Error('a search without points left continues');
  };
  return {
    next: (measured) => {
      const { step, sentS } = replay(measured, plan);
      if ('done' in step) return null;
      const leftS = plan.durationS === null ? null : plan.durationS - sentS;
      if (leftS !== null && leftS <= 0) return null;
      const repetition = 1 + measured.filter(({ point }) => point.load.level === step.probe.level).length;
      const answerS = (measured[0]?.summary.latencies.e2e_from_sent?.p50 ?? 0) / 1000;
      return { ...pointFor(step.probe, repetition, plan, answerS), durationMaxS: leftS };
    },
    requests: requestsSoFar,
    conclude: (all) => {
      // A canceled point has too few requests to show whether its load meets the limits.
      const measured = all.filter(({ cut }) => cut?.reason !== 'canceled' && cut?.reason !== 'stopped');
      if (measured.length === 0) return { lines: [], isReached: false };
      const found = capacityOf(measured);
      const requests = measured.reduce((sum, { summary }) => sum + summary.requests, 0);
      return {
        lines: capacityWords(found, plan, { points: measured.length, requests }),
        isReached: found.level !== null,
      };
    },
    toleratesFailures: true,
  };
}
