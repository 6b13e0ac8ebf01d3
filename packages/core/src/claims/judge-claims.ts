import { type Metric, metrics } from '../metrics/index.ts';
import { type Trust, trustLevels } from '../result.ts';
import { differ } from '../statistics/intervals.ts';

/** Two means agree within this share of the larger. */
export const agreementTolerance = 0.05;

/** Two means contradict each other beyond this share of the larger, unless their intervals overlap. */
export const contradictionTolerance = 0.1;

/** Runs that make a claim count as evidence for another where it has no records of requests. */
export const evidenceRuns = 3;

/** One metric by one formula, as an account measured it, in the metric's unit. */
export interface AccountFigure {
  account: string;
  n: number | null;
  mean: number;
  ci95: [number, number] | null;
}

/** What one account says of a point with one kind of evidence. */
export interface Claim {
  account: string;
  /** Its trust before other accounts are looked at. */
  ownTrust: Trust;
  /** Repetitions behind it. */
  runs: number;
  /** Id of its earliest result: ids sort by time. */
  first: string;
  figures: readonly {
    metric: string;
    definition: string | null;
    n: number | null;
    mean: number;
    ci95: [number, number] | null;
  }[];
}

/** What became of a claim beside the others at its point. */
export interface JudgedClaim {
  trust: Trust;
  /** True of the one claim that represents the point. */
  stands: boolean;
  /** Whether it agrees with the claim that stands; null of that one, and where they share no metric. */
  agreement: 'agreeing' | 'disagreeing' | null;
  /** Its figure over that of the claim that stands, for the metric on which they are furthest apart. */
  ratio: number | null;
}

/** A metric on which another account disagrees with the claim that stands. */
export interface Conflict {
  metric: string;
  definition: string | null;
  /** Difference of the two as a share of the larger. */
  apart: number;
  low: AccountFigure;
  high: AccountFigure;
}

/** What other accounts say of the claim that stands. */
export interface Replication {
  /** Accounts whose claims are replicated, in order. */
  replicated: string[];
  agreeing: number;
  disagreeing: number;
  conflicts: Conflict[];
}

export interface Judgement {
  /** In the order of the claims. */
  claims: JudgedClaim[];
  /** True where another account contradicts the claim that stands by more than 10 % and more than their intervals. */
  disputed: boolean;
  /** Null where there is one claim. */
  replication: Replication | null;
}

/**
 * Whether a metric is one that two measurements of the same thing must agree on: a measured mean or rate. Tails need far
 * more repetitions, and counts and durations follow from what was asked.
 */
export function isCompared({ family, statistic }: Metric): boolean {
  return !family.derived && family.direction !== 'neutral' && (statistic === null || statistic === 'mean');
}

/** Names of the metrics that accounts are compared by. */
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

/** Figures of two claims by the same metric and formula. */
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
 * Whether another account measured the same, with evidence of its own. One metric that fits and one that does not is no
 * replication. A claim without evidence must be earlier than all that confirm it: a single run that was typed near a claim
 * of three must not outrank it.
 */
function isReplicated(claim: Claim, all: readonly Claim[]): boolean {
  const confirming = all.filter(
    (other) => other.account !== claim.account && isEvidence(other) && agree(pairsOf(claim, other)),
  );
  return confirming.length > 0 && (isEvidence(claim) || confirming.every(({ first }) => claim.first < first));
}

/** The order in which claims stand: trust, then evidence, then the earlier. */
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

/** How a claim compares with the one that stands. */
export const besideStanding = (claim: Claim, standing: Claim) => agreementOf(pairsOf(claim, standing));

function conflictOf({ metric, definition, apart, own, other }: Pair): Conflict {
  const [low, high] = own.mean <= other.mean ? [own, other] : [other, own];
  return { metric, definition, apart, low, high };
}

/** Of each metric the conflict that is furthest apart. */
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
 * Which claim stands for a point, and what the others say of it. Claims are never pooled: nobody's upload changes the
 * figures of another account.
 *
 * @param claims at least one; claims that are copies are left out before
 * @param isNamed whether model, GPU and quantization are in the catalogue: what two accounts call unspecified need not be
 *   the same, so it is never replicated
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
