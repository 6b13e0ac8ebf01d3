import { type Metric, metrics } from '../metrics/index.ts';
import { differ } from '../statistics/intervals/intervals.ts';
import { type Trust, trustLevels } from '../subjects/result.ts';

/** Maximum difference of two agreeing means, as a share of the larger. */
export const agreementTolerance = 0.05;

/** Difference above which two means contradict each other, as a share of the larger, unless their intervals overlap. */
export const contradictionTolerance = 0.1;

/** Minimum runs of a claim without request records to count as evidence for another claim. */
export const evidenceRuns = 3;

/** One metric by one formula, measured by an account, in the metric's unit. */
export interface AccountFigure {
  account: string;
  n: number | null;
  mean: number;
  ci95: [number, number] | null;
}

/** What one account reports about a point with one kind of evidence. */
export interface Claim {
  account: string;
  /** Its trust without regard to other accounts. */
  ownTrust: Trust;
  /** Number of repetitions. */
  runs: number;
  /** Id of its earliest result. Ids sort by time. */
  first: string;
  figures: readonly {
    metric: string;
    definition: string | null;
    n: number | null;
    mean: number;
    ci95: [number, number] | null;
  }[];
}

/** The outcome for a claim among the claims of its point. */
export interface JudgedClaim {
  trust: Trust;
  /** True for the claim that represents the point. */
  stands: boolean;
  /** Whether it agrees with the representative claim. Null for that claim, and if they share no metric. */
  agreement: 'agreeing' | 'disagreeing' | null;
  /** Its figure divided by the representative claim's, for the metric with the largest difference. */
  ratio: number | null;
}

/** A metric on which another account disagrees with the representative claim. */
export interface Conflict {
  metric: string;
  definition: string | null;
  /** Difference of the two as a share of the larger. */
  apart: number;
  low: AccountFigure;
  high: AccountFigure;
}

/** What other accounts report about the representative claim. */
export interface Replication {
  /** Accounts with replicated claims, sorted. */
  replicated: string[];
  agreeing: number;
  disagreeing: number;
  conflicts: Conflict[];
}

export interface Judgement {
  /** In the order of the claims. */
  claims: JudgedClaim[];
  /** True if another account contradicts the representative claim by more than 10 % and more than their intervals. */
  disputed: boolean;
  /** Null if the point has only one claim. */
  replication: Replication | null;
}

/**
 * True if two measurements of the same point must agree on a metric: a measured mean or rate. Tails need far more
 * repetitions, and counts and durations follow from the request.
 */
export function isCompared({ family, statistic }: Metric): boolean {
  return !family.derived && family.direction !== 'neutral' && (statistic === null || statistic === 'mean');
}

/** Names of the metrics used to compare accounts. */
export const comparedMetrics: ReadonlySet<string> = new Set(metrics.filter(isCompared).map(({ name }) => name));

const hasRecords = ({ ownTrust }: Claim) => ownTrust === 'managed' || ownTrust === 'recomputed';
const isEvidence = (claim: Claim) => hasRecords(claim) || claim.runs >= evidenceRuns;
const stronger = (a: Trust, b: Trust): Trust => (trustLevels.indexOf(a) <= trustLevels.indexOf(b) ? a : b);

interface Pair {
  metric: string;
  definition: string | null;
  apart: number;
  own: AccountFigure;
  other: AccountFigure;
}

function apartOf(a: number, b: number): number {
  const larger = Math.max(Math.abs(a), Math.abs(b));
  return larger === 0 ? 0 : Math.abs(a - b) / larger;
}

/** Pairs the figures of two claims by metric and formula. */
function pairsOf(one: Claim, other: Claim): Pair[] {
  const keyOf = ({ metric, definition }: Claim['figures'][number]) => JSON.stringify([metric, definition]);
  const others = new Map(other.figures.map((figure) => [keyOf(figure), figure]));
  return one.figures.flatMap((figure) => {
    const same = others.get(keyOf(figure));
    if (same === undefined) return [];
    const toAccount = ({ account }: Claim, { n, mean, ci95 }: typeof figure): AccountFigure => ({
      account,
      n,
      mean,
      ci95,
    });
    return [
      {
        metric: figure.metric,
        definition: figure.definition,
        apart: apartOf(figure.mean, same.mean),
        own: toAccount(one, figure),
        other: toAccount(other, same),
      },
    ];
  });
}

const agree = (pairs: readonly Pair[]) => pairs.length > 0 && pairs.every(({ apart }) => apart <= agreementTolerance);

/**
 * True if another account measured the same point with separate evidence. If one metric agrees and another does not, it is
 * not a replication. A claim without evidence must precede all claims that confirm it. Otherwise a made-up single run close
 * to a claim of three runs would outrank it.
 */
function isReplicated(claim: Claim, all: readonly Claim[]): boolean {
  const confirming = all.filter(
    (other) => other.account !== claim.account && isEvidence(other) && agree(pairsOf(claim, other)),
  );
  return confirming.length > 0 && (isEvidence(claim) || confirming.every(({ first }) => claim.first < first));
}

/** Sort order of claims: trust, then evidence, then age. */
function compareClaims(a: Claim & { trust: Trust }, b: Claim & { trust: Trust }): number {
  return (
    trustLevels.indexOf(a.trust) - trustLevels.indexOf(b.trust) ||
    Number(hasRecords(b)) - Number(hasRecords(a)) ||
    b.runs - a.runs ||
    (a.first < b.first ? -1 : 1)
  );
}

function agreementOf(pairs: readonly Pair[]): Pick<JudgedClaim, 'agreement' | 'ratio'> {
  const furthest = pairs.reduce<Pair | null>((a, b) => (a === null || b.apart > a.apart ? b : a), null);
  if (furthest === null) return { agreement: null, ratio: null };
  const ratio = furthest.other.mean === 0 ? null : furthest.own.mean / furthest.other.mean;
  return { agreement: agree(pairs) ? 'agreeing' : 'disagreeing', ratio };
}

/** Compares a claim with the representative one. */
export const compareWithRepresentative = (claim: Claim, standing: Claim) => agreementOf(pairsOf(claim, standing));

function conflictOf({ metric, definition, apart, own, other }: Pair): Conflict {
  const [low, high] = own.mean <= other.mean ? [own, other] : [other, own];
  return { metric, definition, apart, low, high };
}

/** Returns the largest conflict of each metric. */
function conflictsOf(pairs: readonly Pair[]): Conflict[] {
  const byMetric = Map.groupBy(
    pairs.filter(({ apart }) => apart > agreementTolerance),
    ({ metric, definition }) => JSON.stringify([metric, definition]),
  );
  return [...byMetric.values()].map((of) => conflictOf(of.reduce((a, b) => (b.apart > a.apart ? b : a))));
}

const contradicts = ({ apart, own, other }: Pair) =>
  apart > contradictionTolerance && differ(own.ci95, other.ci95) !== false;

/**
 * Chooses the claim that represents a point and compares the others with it. Claims are never pooled: an upload never
 * changes the figures of another account.
 *
 * @param claims at least one, without copies
 * @param isNamed whether model, GPU and quantization are in the catalogue. Unspecified facts of two accounts may differ, so
 * such a point is never replicated
 */
export function judgeClaims(claims: readonly Claim[], isNamed: boolean): Judgement {
  const trusted = claims.map((claim) => ({
    ...claim,
    trust: isNamed && isReplicated(claim, claims) ? stronger(claim.ownTrust, 'replicated') : claim.ownTrust,
  }));
  const standing = trusted.toSorted(compareClaims)[0];
  if (standing === undefined) throw new Error('a point without claims');
  const beside = trusted.map((claim) => (claim === standing ? [] : pairsOf(claim, standing)));
  const judged = trusted.map((claim, index): JudgedClaim => {
    return { trust: claim.trust, stands: claim === standing, ...agreementOf(beside[index] ?? []) };
  });
  const byOthers = beside.filter((_, index) => trusted[index]?.account !== standing.account).flat();
  const count = (agreement: JudgedClaim['agreement']) => judged.filter((claim) => claim.agreement === agreement).length;
  const replicated = trusted.filter(({ trust }) => trust === 'replicated').map(({ account }) => account);
  return {
    claims: judged,
    disputed: byOthers.some(contradicts),
    replication:
      claims.length === 1
        ? null
        : {
            replicated: [...new Set(replicated)].sort(),
            agreeing: count('agreeing'),
            disagreeing: count('disagreeing'),
            conflicts: conflictsOf(byOthers),
          },
  };
}
