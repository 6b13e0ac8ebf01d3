import { findMetric } from '../metrics/index.ts';
import { geometricMean } from '../statistics/geometric-mean.ts';

/** A metric at one load: each system's ratio to the first one's, null if there is none. */
interface ComparedMetric {
  metric: string;
  figures: readonly ({
    compared: { ratio: number | null; interval: readonly [number, number] | null } | null;
  } | null)[];
}

/** One workload at one load, measured on at least two of the systems. */
export interface ComparedLoad {
  load: { mode: string; level: number | null };
  metrics: readonly ComparedMetric[];
}

/** A system compared with the first one at one load. */
export interface PairedLoad {
  /** Users in flight; null for other kinds of load. */
  users: number | null;
  /** Ratio to the first system in the better direction: above 1 is better. */
  gain: number;
  /** 95 % interval of the gain; null if a figure has a single measurement or unknown scatter. */
  interval: readonly [number, number] | null;
}

/** A system compared with the first one over all their common loads. */
export interface PairVerdict {
  /** Common loads. */
  loads: number;
  /** Loads with an interval above 1, below 1, and around 1. */
  better: number;
  worse: number;
  unsettled: number;
  /** Loads without an interval. */
  unknown: number;
  /** Geometric mean of the gains, over the loads with an interval if there are any. */
  gain: number;
  /** 95 % interval of `gain`; null if no load has one. */
  interval: [number, number] | null;
}

/** Metrics for a verdict, most meaningful first, with the words for the better system. */
const verdictMetrics: readonly (readonly [metric: string, better: string, quantity: string])[] = [
  ['user_tok_s', 'faster per user', 'speed per user'],
  ['output_tok_s_per_gpu', 'higher in output throughput per GPU', 'output throughput per GPU'],
  ['output_tok_s', 'higher in output throughput', 'output throughput'],
  ['decode_tok_s', 'faster in decode', 'decode speed'],
  ['e2e_ms_mean', 'faster end to end', 'end-to-end latency'],
  ['ttft_ms_mean', 'faster to the first token', 'TTFT'],
  ['req_s', 'higher in requests per second', 'requests per second'],
  ['prefill_tok_s', 'faster in prefill', 'prefill speed'],
  ['forward_ms', 'faster in the forward pass', 'time of the forward pass'],
];

/** A metric precedes a more meaningful one if less than this share of the loads has the latter. */
const shareMin = 0.6;

const isLowerBetter = (metric: string) => findMetric(metric)?.family.direction === 'lower';

/** Compares system `at` with the first one by a metric, at each load that has both. */
export function pairsOf(loads: readonly ComparedLoad[], metric: string, at: number): PairedLoad[] {
  const isLower = isLowerBetter(metric);
  return loads.flatMap(({ load, metrics }): PairedLoad[] => {
    const compared = metrics.find((each) => each.metric === metric)?.figures[at]?.compared;
    if (compared?.ratio == null) return [];
    const { ratio, interval } = compared;
    return [
      {
        users: load.mode === 'concurrency' ? load.level : null,
        gain: isLower ? 1 / ratio : ratio,
        interval: interval === null || !isLower ? interval : [1 / interval[1], 1 / interval[0]],
      },
    ];
  });
}

const meanOf = (values: readonly number[]) => geometricMean(values) ?? 1;

/**
 * Summarizes paired loads. The interval of the mean gain is between the means of the lower and of the upper ends. It is
 * valid even if all loads deviate in the same direction, which is possible within a run. Null without loads.
 */
export function judgePairs(pairs: readonly PairedLoad[]): PairVerdict | null {
  if (pairs.length === 0) return null;
  const intervals = pairs.flatMap(({ interval }) => (interval === null || interval[0] <= 0 ? [] : [interval]));
  const known = pairs.filter(({ interval }) => interval !== null && interval[0] > 0);
  const count = (test: (interval: readonly [number, number]) => boolean) => intervals.filter(test).length;
  const [better, worse] = [count(([low]) => low > 1), count(([, high]) => high < 1)];
  return {
    ...{ loads: pairs.length, better, worse },
    ...{ unsettled: intervals.length - better - worse, unknown: pairs.length - intervals.length },
    gain: meanOf((known.length === 0 ? pairs : known).map(({ gain }) => gain)),
    interval:
      intervals.length === 0
        ? null
        : [meanOf(intervals.map(([low]) => low)), meanOf(intervals.map(([, high]) => high))],
  };
}

/** Three digits, or more if they would round the value to 1. */
function figure(value: number): string {
  for (let digits = 3; ; digits += 1) {
    const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(value)));
    const text = value.toFixed(Math.min(decimals, 9));
    if (Number(text) !== 1 || value === 1 || digits > 9) return text;
  }
}

const range = ([low, high]: readonly [number, number]) => `${figure(low)} to ${figure(high)}`;
const flipped = ([low, high]: readonly [number, number]): [number, number] => [1 / high, 1 / low];
const loadsText = (count: number) => `${count} ${count === 1 ? 'load' : 'loads'}`;

/** Letters of the first system and of another, and a metric's words for the better one. */
interface PairWords {
  first: string;
  other: string;
  better: string;
  quantity: string;
}

const counts = (parts: readonly (readonly [count: number, text: string])[]) =>
  parts.flatMap(([count, text]) => (count === 0 ? [] : [`${text} at ${count}`])).join(', ');

function clauseOf(verdict: PairVerdict, { first, other, better, quantity }: PairWords): string {
  const { loads, gain, interval, unknown } = verdict;
  const [leader, follower] = gain >= 1 ? [other, first] : [first, other];
  const times = `${figure(Math.max(gain, 1 / gain))}×`;
  if (interval === null)
    return gain === 1
      ? `${other} and ${first} have the same ${quantity} on average over ${loadsText(loads)}, with unknown intervals`
      : `${leader} measured ${times} ${better} than ${follower} on average over ${loadsText(loads)}, but the intervals are unknown, so a difference is not shown`;
  const single: readonly [number, string] = [unknown, 'interval unknown'];
  if (interval[0] <= 1 && interval[1] >= 1) {
    const detail = counts([[verdict.better, `${other} ahead`], [verdict.worse, `${first} ahead`], single]);
    return `no difference in ${quantity} between ${first} and ${other} is shown on average over ${loadsText(loads)} (ratio ${range(interval)})${detail === '' ? '' : `: ${detail}`}`;
  }
  const isOther = gain >= 1;
  const [won, lost] = isOther ? [verdict.better, verdict.worse] : [verdict.worse, verdict.better];
  const head = `${leader} is ${times} (${range(isOther ? interval : flipped(interval))}) ${better} than ${follower}`;
  if (won === loads) return `${head} at ${won} of ${loadsText(loads)}`;
  const rest = counts([[lost, 'behind'], [verdict.unsettled, 'no difference shown'], single]);
  return `${head} on average: ahead at ${won} of ${loadsText(loads)}, ${rest}`;
}

interface Judged {
  other: string;
  verdict: PairVerdict | null;
}
type Unknown = Judged & { verdict: PairVerdict };

const isUnknown = (each: Judged): each is Unknown => each.verdict?.interval === null;

/** One clause for several systems without intervals at the same number of loads. */
function unknownClause(systems: readonly Unknown[], first: string, quantity: string): string {
  const pairs = systems.map(({ other, verdict: { gain } }) => {
    if (gain === 1) return `${other} the same as ${first}`;
    const [leader, follower] = gain > 1 ? [other, first] : [first, other];
    return `${leader} ${figure(Math.max(gain, 1 / gain))}× better than ${follower}`;
  });
  const loads = loadsText(systems[0]?.verdict.loads ?? 0);
  return `measured ${quantity} on average over ${loads}: ${pairs.join(', ')}, but the intervals are unknown, so a difference is not shown`;
}

type Side = 'first' | 'other' | null;

const sideOf = ({ interval }: PairedLoad): Side =>
  interval === null ? null : interval[0] > 1 ? 'other' : interval[1] < 1 ? 'first' : null;

/** The number of users up to which, or from which on, a system is cheaper in every workload; null if there is none. */
function reachOf(pairs: readonly PairedLoad[], side: Exclude<Side, null>): string | null {
  if (pairs.length > 0 && pairs.every((pair) => sideOf(pair) === side)) return `at all ${loadsText(pairs.length)}`;
  if (pairs.some(({ users }) => users === null)) return null;
  const levels = [...Map.groupBy(pairs, ({ users }) => users ?? 0)].toSorted(([a], [b]) => a - b);
  const isWon = levels.map(([, of]) => of.every((pair) => sideOf(pair) === side));
  const won = isWon.filter(Boolean).length;
  if (won === 0 || levels.some(([, of], at) => !isWon[at] && of.some((pair) => sideOf(pair) === side))) return null;
  const usersAt = (at: number) => `${levels[at]?.[0]} ${levels[at]?.[0] === 1 ? 'user' : 'users'}`;
  if (isWon.indexOf(false) === won) return `up to ${usersAt(won - 1)}`;
  if (isWon.lastIndexOf(false) === levels.length - won - 1) return `from ${usersAt(levels.length - won)}`;
  return null;
}

/** Cost per output token: at the same price per hour, the system with more throughput is cheaper. */
function costClause(
  loads: readonly ComparedLoad[],
  usdPerHour: readonly (number | null)[],
  letters: readonly string[],
) {
  const [first, other] = usdPerHour;
  if (letters.length !== 2 || first == null || other == null || !(first > 0 && other > 0)) return null;
  const factor = first / other;
  const pairs = pairsOf(loads, 'output_tok_s', 1).map(
    ({ interval, gain, ...pair }): PairedLoad => ({
      ...pair,
      gain: gain * factor,
      interval: interval && [interval[0] * factor, interval[1] * factor],
    }),
  );
  const reach = { first: reachOf(pairs, 'first'), other: reachOf(pairs, 'other') };
  const parts = [
    ...(reach.first === null ? [] : [`${letters[0]} is cheaper per output token ${reach.first}`]),
    ...(reach.other === null ? [] : [`${letters[1]} is cheaper per output token ${reach.other}`]),
  ];
  return parts.length === 0 ? null : parts.join(', ');
}

/** Metrics of a single request. In a burst each request waits for the others, so other metrics precede them. */
const ofOneUser: ReadonlySet<string> = new Set(['user_tok_s', 'e2e_ms_mean', 'ttft_ms_mean']);

/** The most meaningful metric that enough loads have; null if no load has a ratio. */
function chooseMetric(loads: readonly ComparedLoad[], systems: number): (typeof verdictMetrics)[number] | null {
  const others = Array.from({ length: systems - 1 }, (_, at) => at + 1);
  const coverOf = (metric: string) => others.reduce((sum, at) => sum + pairsOf(loads, metric, at).length, 0);
  const areBursts = loads.every(({ load }) => load.mode === 'burst');
  const isLast = ([metric]: (typeof verdictMetrics)[number]) => Number(areBursts && ofOneUser.has(metric));
  const ordered = verdictMetrics.toSorted((a, b) => isLast(a) - isLast(b));
  const found = ordered.map((each) => ({ each, cover: coverOf(each[0]) })).filter(({ cover }) => cover > 0);
  const most = Math.max(0, ...found.map(({ cover }) => cover));
  return found.find(({ cover }) => cover >= shareMin * most)?.each ?? null;
}

/**
 * Compares all systems with the first one in one sentence with intervals, based on their common loads. It claims a
 * difference only if an interval excludes 1.
 *
 * @param letters the letter of each system
 * @param usdPerHour the price of each system; null if unknown
 */
export function verdictSentence(
  loads: readonly ComparedLoad[],
  letters: readonly string[],
  usdPerHour: readonly (number | null)[] = [],
): string | null {
  const metric = chooseMetric(loads, letters.length);
  const [first = 'A', ...others] = letters;
  if (metric === null) return null;
  const [name, better, quantity] = metric;
  const verdicts = others.map((other, index) => ({ other, verdict: judgePairs(pairsOf(loads, name, index + 1)) }));
  const [unknown = []] = [...Map.groupBy(verdicts.filter(isUnknown), ({ verdict }) => verdict.loads).values()].filter(
    (same) => same.length > 1,
  );
  const together = new Set(unknown.map(({ other }) => other));
  const clauses = verdicts.flatMap(({ other, verdict }) => {
    if (verdict === null) return [`${other} and ${first} share no load with a known ratio of ${quantity}`];
    if (!together.has(other)) return [clauseOf(verdict, { first, other, better, quantity })];
    return other === unknown[0]?.other ? [unknownClause(unknown, first, quantity)] : [];
  });
  const cost = costClause(loads, usdPerHour, letters);
  const sentence = `${[...clauses, ...(cost === null ? [] : [cost])].join('; ')}.`;
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}`;
}
