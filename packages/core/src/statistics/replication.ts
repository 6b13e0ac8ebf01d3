import { type Metric, metrics } from '../metrics/index.ts';
import { differ } from './intervals.ts';

/** How far apart two accounts' means may be where their intervals tell nothing, as a share of the larger. */
export const replicationTolerance = 0.05;

/** What one account measured of a metric at one point, in the metric's unit. */
export interface AccountFigure {
  account: string;
  n: number | null;
  mean: number;
  ci95: [number, number] | null;
}

/** One metric, made by one formula, as each account that has it measured it. */
export interface ComparedMetric {
  metric: string;
  definition: string | null;
  figures: AccountFigure[];
}

/** A metric on which accounts contradict each other: the lowest and the highest of them. */
export interface Conflict {
  metric: string;
  definition: string | null;
  /** Difference of the two as a share of the larger. */
  apart: number;
  low: AccountFigure;
  high: AccountFigure;
}

export interface Replication {
  /** Accounts whose figures an independent one measured as well, in order. */
  replicated: string[];
  conflicts: Conflict[];
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

function apartOf(a: AccountFigure, b: AccountFigure): number {
  const larger = Math.max(Math.abs(a.mean), Math.abs(b.mean));
  return larger === 0 ? 0 : Math.abs(a.mean - b.mean) / larger;
}

/** Two figures agree if they are within 5 % of the larger, or if both have 95 % intervals and these overlap. */
export function agrees(a: AccountFigure, b: AccountFigure): boolean {
  return apartOf(a, b) <= replicationTolerance || differ(a.ci95, b.ci95) === false;
}

function conflictOf({ metric, definition, figures }: ComparedMetric): Conflict | null {
  const sorted = figures.toSorted((a, b) => a.mean - b.mean);
  const [low, high] = [sorted[0], sorted.at(-1)];
  if (low === undefined || high === undefined || agrees(low, high)) return null;
  return { metric, definition, apart: apartOf(low, high), low, high };
}

/**
 * Which accounts measured the same at one point. Two replicate each other if they have a metric by the same formula, and
 * agree on every one that both have: one that fits and one that does not is no replication.
 */
export function judgeReplication(compared: readonly ComparedMetric[]): Replication {
  const accounts = [...new Set(compared.flatMap(({ figures }) => figures.map(({ account }) => account)))].sort();
  const byAccount = compared.map(({ figures }) => new Map(figures.map((figure) => [figure.account, figure])));
  const replicates = (one: string, other: string): boolean => {
    const pairs = byAccount.flatMap((of) => {
      const [a, b] = [of.get(one), of.get(other)];
      return a === undefined || b === undefined ? [] : [agrees(a, b)];
    });
    return pairs.length > 0 && pairs.every(Boolean);
  };
  return {
    replicated: accounts.filter((one) => accounts.some((other) => other !== one && replicates(one, other))),
    conflicts: compared.flatMap((metric) => conflictOf(metric) ?? []),
  };
}
