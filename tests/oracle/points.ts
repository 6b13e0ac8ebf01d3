import { metricFamilies } from '../../packages/core/src/metrics/index.ts';
import {
  type PointSample,
  type PointStatistics,
  pointStatistics,
} from '../../packages/core/src/statistics/point-statistics.ts';
import type { Row } from './rows.ts';

// Points as plain arrays: every query groups them again from all rows.

/** A metric's name without its statistic, with its entry in the registry. */
export function familyOf(metric: string) {
  const family = metricFamilies.find(({ base, statistics }) =>
    statistics === null ? base === metric : statistics.some((statistic) => `${base}_${statistic}` === metric),
  );
  if (family === undefined) throw new Error(`there is no metric ${metric}`);
  return family;
}

/** Definitions of a metric, preferred first, each with its ranking group. */
export const definitionsOf = (base: string) => metricFamilies.find((family) => family.base === base)?.definitions ?? [];

export interface Figure extends PointStatistics {
  /** Its results, in storage order. */
  behind: Row[];
}

/** A variant of a point: each metric by one definition. */
export interface Variant {
  /** Definition by metric; null if a metric has no recorded one. */
  definitions: Record<string, string | null>;
  figures: Record<string, Figure>;
}

/** The claim of one account that represents a point in one status. */
export interface Standing {
  point: string;
  status: string;
  /** Any of its results, for the shared facts. */
  first: Row;
  /** Its results, without copies. */
  rows: Row[];
  trust: string;
  /** True if another account contradicts it. */
  isDisputed: boolean;
  /** Variants: the first has each metric by the claim's preferred definition, the next by the next one. */
  variants: Variant[];
}

const trustLevels = ['managed', 'replicated', 'recomputed', 'imported', 'self_reported'];

function toSample({ values, repeats }: Row, metric: string): PointSample {
  const value = values[metric];
  if (value === undefined) throw new Error(`no ${metric}`);
  if (repeats === null) return { value, repeats: null };
  const sd = repeats.sd as Record<string, number> | null;
  const samples = repeats.samples as Record<string, number[]> | null;
  return { value, repeats: { n: repeats.n, sd: sd?.[metric] ?? null, samples: samples?.[metric] ?? null } };
}

function figureOf(rows: Row[], metric: string): Figure {
  return { ...pointStatistics(rows.map((row) => toSample(row, metric))), behind: rows };
}

/** Values by different definitions are never averaged. Each metric lists its definitions in order of preference. */
function toVariants(rows: readonly Row[]): Variant[] {
  const variants: Variant[] = [];
  const variantAt = (place: number) => {
    variants[place] ??= { definitions: {}, figures: {} };
    return variants[place];
  };
  variantAt(0);
  for (const { base, definitions } of metricFamilies) {
    const names = [...new Set(rows.flatMap((row) => Object.keys(row.values)))].filter(
      (name) => familyOf(name).base === base,
    );
    const ids = [...definitions.map(({ id }): string | null => id), null];
    let place = 0;
    for (const id of ids) {
      const having = rows.filter((row) => (row.definitions[base] ?? null) === id);
      const measured = names.filter((name) => having.some((row) => row.values[name] !== undefined));
      if (measured.length === 0) continue;
      const variant = variantAt(place);
      place += 1;
      variant.definitions[base] = id;
      for (const name of measured) {
        variant.figures[name] = figureOf(
          having.filter((row) => row.values[name] !== undefined),
          name,
        );
      }
    }
  }
  return variants;
}

/** The claim of one account on a point with one kind of evidence. */
interface Claim {
  account: string;
  ownTrust: string;
  rows: Row[];
  variants: Variant[];
  runs: number;
  hasRecords: boolean;
}

/** Measured means and rates: accounts that measured the same point agree on them. */
function isCompared(metric: string): boolean {
  const { base, derived, direction, statistics } = familyOf(metric);
  return !derived && direction !== 'neutral' && (statistics === null || metric === `${base}_mean`);
}

/** Pairs of values of two claims with the same metric and definition. */
function pairsOf(one: Claim, other: Claim): { a: Figure; b: Figure; apart: number }[] {
  return one.variants.flatMap(({ definitions, figures }) =>
    Object.entries(figures).flatMap(([metric, a]) => {
      const { base } = familyOf(metric);
      const same = other.variants.find(
        (variant) => variant.figures[metric] !== undefined && variant.definitions[base] === definitions[base],
      );
      const b = same?.figures[metric];
      if (b === undefined || !isCompared(metric)) return [];
      const larger = Math.max(Math.abs(a.mean), Math.abs(b.mean));
      return [{ a, b, apart: larger === 0 ? 0 : Math.abs(a.mean - b.mean) / larger }];
    }),
  );
}

const isNamed = ({ facts }: Row) => [facts.model, facts.gpu, facts.quantization].every(({ id }) => id !== null);

/**
 * A claim is replicated by an agreeing claim (within 5 %) of a second account that has records or three runs. A claim without
 * either must be the first of all claims.
 */
function trustOf(claim: Claim, claims: readonly Claim[]): string {
  const [first] = claim.rows;
  const isEvidence = ({ hasRecords, runs }: Claim) => hasRecords || runs >= 3;
  const confirming = claims.filter((other) => {
    if (other.account === claim.account || !isEvidence(other)) return false;
    const pairs = pairsOf(claim, other);
    return pairs.length > 0 && pairs.every(({ apart }) => apart <= 0.05);
  });
  const firstIds = [claim, ...confirming].map(({ rows }) => rows[0]?.id ?? '');
  const isReplicated = confirming.length > 0 && (isEvidence(claim) || firstIds.toSorted()[0] === first?.id);
  const canBe = first !== undefined && isNamed(first) && first.status === 'accepted';
  return isReplicated && canBe && claim.ownTrust === 'self_reported' ? 'replicated' : claim.ownTrust;
}

const lie = ({ a, b, apart }: { a: Figure; b: Figure; apart: number }) =>
  apart > 0.1 && (a.ci95 === null || b.ci95 === null || a.ci95[1] < b.ci95[0] || b.ci95[1] < a.ci95[0]);

/** The winning claim: highest trust, then records, then more runs, then the earlier one. */
function standingOf(all: readonly Row[]): Standing | null {
  const byClaim = Map.groupBy(all, ({ account, ownTrust }) => `${account.id} ${ownTrust}`);
  const claims = [...byClaim.values()].flatMap((rows): Claim[] => {
    const counted = rows.filter(({ isCopy }) => !isCopy);
    const [first] = counted;
    if (first === undefined) return [];
    const isAveraged = first.status !== 'not_repetitions';
    return [
      {
        account: first.account.id,
        ownTrust: first.ownTrust,
        rows: counted,
        variants: toVariants(isAveraged ? counted : []),
        runs: counted.reduce((sum, { repeats }) => sum + (repeats?.n ?? 1), 0),
        hasRecords: first.ownTrust !== 'self_reported',
      },
    ];
  });
  const levels = new Map(claims.map((claim) => [claim, trustLevels.indexOf(trustOf(claim, claims))]));
  const level = (claim: Claim) => levels.get(claim) ?? 0;
  const [stands] = claims.toSorted(
    (a, b) =>
      level(a) - level(b) ||
      Number(b.hasRecords) - Number(a.hasRecords) ||
      b.runs - a.runs ||
      ((a.rows[0]?.id ?? '') < (b.rows[0]?.id ?? '') ? -1 : 1),
  );
  const first = stands?.rows[0];
  if (stands === undefined || first === undefined) return null;
  const others = claims.filter(({ account }) => account !== stands.account);
  return {
    point: first.point,
    status: first.status,
    first,
    rows: stands.rows,
    trust: trustOf(stands, claims),
    isDisputed: first.status === 'accepted' && others.some((other) => pairsOf(other, stands).some(lie)),
    variants: stands.variants,
  };
}

/** All points with their representative claim for each status. Copies of counted results are excluded. */
export function toStandings(rows: readonly Row[]): Standing[] {
  const inOrder = [...rows].sort((a, b) => (a.id < b.id ? -1 : 1));
  const groups = Map.groupBy(inOrder, ({ point, status }) => `${point} ${status}`);
  return [...groups.values()].flatMap((all) => standingOf(all) ?? []);
}
