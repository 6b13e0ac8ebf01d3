import { matchSequences, type RequestSequence } from '../records/sequence.ts';
import {
  type Agreement,
  agreementsOf,
  agreeTogether,
  chanceOfEqual,
  chanceWithin,
  independentPairs,
  isEqual,
  isSd,
  type Pair,
  pairFigures,
} from './agreement.ts';
import type { Figure } from './figures.ts';

/** A row of an artifact, prepared for comparison with other artifacts. */
export interface ComparedRow {
  /** Model, shape and load. Only rows with the same key are compared. */
  key: string;
  figures: readonly Figure[];
  sequence?: RequestSequence | null;
}

/**
 * Why an artifact is a copy. `same_bytes`: detected by the store. `figures`: figures agree. `figures_scaled`: they agree
 * after a common factor. `figures_and_sd`, `figures_and_duration`: a few figures and the deviations or the duration are
 * equal to the last digit. `records`: all requests are equal.
 */
export type CopyReason =
  | 'same_bytes'
  | 'figures'
  | 'figures_scaled'
  | 'figures_and_sd'
  | 'figures_and_duration'
  | 'records';

export interface CopyJudgement {
  isCopy: true;
  /** Figures of `b` divided by those of `a`. Times, if its rates were divided by the factor. */
  factor: number;
  reason: CopyReason;
  /** For a finding: how many figures agree out of how many, examples, and the probability for honest runs. */
  evidence: Record<string, unknown>;
}

/**
 * Minimum number of figures that must agree by a chance of `chanceMost`. With fewer, all must agree, by a far smaller
 * chance.
 */
const figuresLeast = 4;
const chanceMost = 1 / 5000;
const chanceMostOfFew = 1e-6;
/** Figures of fewer digits agree by chance. */
const digitsLeast = 3;
/** Maximum chance for a few figures whose deviations or duration are also equal. */
const chanceMostBeside = 1 / 1000;
/** Maximum shift of a few figures and their deviations by one common factor. A small table does not prove more. */
const movedMost = 0.001;
/** More rows would cost time without adding evidence. */
const rowsMost = 1000;

const examplesMost = 5;

type RowPair = readonly [ComparedRow, ComparedRow];

/** Pairs rows of the same key. Rows with equal keys are paired in order. */
function pairByKey(a: readonly ComparedRow[], b: readonly ComparedRow[]): RowPair[] {
  const waiting = Map.groupBy(b, ({ key }) => key);
  const taken = new Map<string, number>();
  return a.flatMap((row) => {
    const place = taken.get(row.key) ?? 0;
    taken.set(row.key, place + 1);
    const other = waiting.get(row.key)?.[place];
    return other === undefined ? [] : [[row, other] as const];
  });
}

/** Pairs rows by position: relabeling a row rarely moves it. */
function pairByPlace(a: readonly ComparedRow[], b: readonly ComparedRow[]): RowPair[] {
  if (a.length !== b.length || a.every(({ key }, place) => key === b[place]?.key)) return [];
  return a.flatMap((row, place) => (b[place] === undefined ? [] : [[row, b[place]] as const]));
}

/** Returns an evenly spaced sample of at most the needed rows. */
function thin(rows: readonly RowPair[]): readonly RowPair[] {
  const step = Math.ceil(rows.length / rowsMost);
  return step <= 1 ? rows : rows.filter((_, place) => place % step === 0);
}

const examplesOf = (pairs: readonly Pair[]) =>
  pairs.slice(0, examplesMost).map(({ key, metric, value, other }) => ({ row: key, metric, figures: [value, other] }));

/** Half of the figures may have been changed to hide the origin of the others. */
function isTelling({ agreeing, of, chance }: Agreement): boolean {
  if (agreeing.length < 2) return false;
  if (agreeing.length < figuresLeast) return agreeing.length === of && chance < chanceMostOfFew;
  return agreeing.length >= of / 2 && chance < chanceMost;
}

function judgeFigures(rows: readonly Pair[][], isScaled: boolean): CopyJudgement | null {
  const pairs = rows.flatMap((row) => independentPairs(row, digitsLeast));
  const [found] = agreementsOf(pairs, isScaled)
    .filter(isTelling)
    .sort((x, y) => x.chance - y.chance);
  if (found === undefined) return null;
  const { factor, isOpposite, agreeing, of, chance } = found;
  return {
    isCopy: true,
    factor,
    reason: isScaled ? 'figures_scaled' : 'figures',
    evidence: {
      ...(isScaled ? { factor, rates: isOpposite ? 'divided' : 'multiplied' } : {}),
      figures: of,
      agreeing: agreeing.length,
      chance,
      examples: examplesOf(agreeing),
    },
  };
}

/** Compares a few figures that were all moved slightly, by the same factor as their deviations. */
function judgeFewMoved(figures: readonly Pair[], sds: readonly Pair[]): CopyJudgement | null {
  if (figures.length < 2 || figures.length >= figuresLeast || sds.length === 0) return null;
  const moved = agreeTogether([...figures, ...sds]);
  const chance = moved.chance * chanceWithin(movedMost);
  const isAll = moved.agreeing.length === moved.of;
  if (!isAll || Math.abs(moved.factor - 1) > movedMost || !(chance < chanceMostBeside)) return null;
  return {
    isCopy: true,
    factor: moved.factor,
    reason: 'figures_and_sd',
    evidence: {
      factor: moved.factor,
      figures: figures.length,
      agreeing: figures.length,
      chance,
      examples: examplesOf(moved.agreeing),
    },
  };
}

function judgeFew(rows: readonly Pair[][]): CopyJudgement | null {
  const pairs = rows.flat();
  const figures = rows.flatMap((row) => independentPairs(row, 1)).filter((pair) => !isSd(pair));
  const sds = pairs.filter(isSd);
  if (!pairs.every(isEqual))
    return judgeFewMoved(
      figures,
      sds.filter(({ digits }) => digits > 1),
    );
  const hasSd = sds.some(({ digits }) => digits > 1);
  const hasDuration = pairs.some(({ metric }) => metric === 'duration_s') && figures.length > 1;
  const chance = chanceOfEqual(figures, sds);
  if (figures.length >= figuresLeast || !(hasSd || hasDuration) || !(chance < chanceMostBeside)) return null;
  return {
    isCopy: true,
    factor: 1,
    reason: hasSd ? 'figures_and_sd' : 'figures_and_duration',
    evidence: { figures: figures.length, agreeing: figures.length, chance, examples: examplesOf([...figures, ...sds]) },
  };
}

function judgeRecords(rows: readonly RowPair[]): CopyJudgement | null {
  for (const [{ key, sequence: a }, { sequence: b }] of rows) {
    const match = a && b ? matchSequences(a, b) : null;
    if (match === null) continue;
    const evidence = { row: key, requests: a?.length, factor: match.factor, shift_ms: match.shiftMs };
    return { isCopy: true, factor: match.factor, reason: 'records', evidence };
  }
  return null;
}

function judgePaired(rows: readonly RowPair[]): CopyJudgement | null {
  const pairs = rows.map(([a, b]) => pairFigures(a.key, a.figures, b.figures));
  return judgeRecords(rows) ?? judgeFigures(pairs, false) ?? judgeFigures(pairs, true) ?? judgeFew(pairs);
}

/**
 * Detects whether one of two artifacts of different accounts for the same model is a copy of the other; `a` was uploaded
 * first. Honest repetitions with a scatter of 0.5 % are called copies in less than one of 1,000 comparisons. So 300 honest
 * candidates at the same point cause at most one false copy in four submissions. Candidates at other points cause none,
 * because their figures differ. Null if neither is a copy.
 */
export function judgeCopy(a: readonly ComparedRow[], b: readonly ComparedRow[]): CopyJudgement | null {
  for (const rows of [pairByKey(a, b), pairByPlace(a, b)]) {
    const found = rows.length === 0 ? null : judgePaired(thin(rows));
    if (found !== null) return found;
  }
  return null;
}
