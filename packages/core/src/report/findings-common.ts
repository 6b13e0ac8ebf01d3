import { tokensPerChunk } from '../metrics/chunk-size.ts';
import { alikeTo, extremesOf } from './figures.ts';
import { type Judgement, severityOfSpan } from './judge.ts';
import { located, number, place, type Said, say, silence } from './sentence.ts';
import type { Severity, Threshold, Thresholds } from './thresholds.ts';
import type { Evidence, Figure, ReportFinding, ReportPoint, SectionId } from './types.ts';

/** A sentence with its position in the report. */
export function finding(id: string, section: SectionId, severity: Severity, said: Said): ReportFinding {
  const { text: sentence, evidence, thresholds, scenarios } = said;
  return { id, section, severity, sentence, evidence, thresholds, scenarios };
}

/** Maximum figures that a tie cites; the series contains all of them. */
const citedMax = 8;

/** Notes that the first place is undecided because values are equal or intervals overlap. */
export function tieOf(figure: Figure, figures: readonly Figure[], limits: readonly Threshold[]): Said {
  const alike = alikeTo(figure, figures);
  const [first] = alike;
  if (first === undefined) return silence;
  const evidence: Evidence[] = alike.slice(0, citedMax).flatMap((other) => number(other, limits).evidence);
  const others = alike.length === 1 ? say`it` : say`it and others`;
  return {
    ...say` ${place(first)} gave ${number(first, limits)}, and the data cannot distinguish ${others} from the best.`,
    evidence,
  };
}

/** The words for one metric of a section: its name, and the judgement by its thresholds. */
export interface SpanWords {
  id: string;
  section: SectionId;
  /** Subject and verb: "Per-user decode speed goes from". */
  opening: string;
  judge(figure: Figure, thresholds: Thresholds): Judgement;
}

/** What the gaps of the ITL are between: tokens, or chunks if a chunk of some point has clearly more than one token. */
export function gapsBetween(points: readonly ReportPoint[]): string {
  const tokens = points.flatMap(({ statistics: { itl_ms_mean: itl, tpot_ms_mean: tpot } }) =>
    itl === undefined ? [] : (tokensPerChunk(itl.mean, tpot?.mean ?? null, itl.definition) ?? []),
  );
  if (tokens.length === 0) return 'tokens';
  const most = Math.max(...tokens);
  return `chunks (of up to ${most < 10 ? most.toPrecision(2) : Math.round(most)} tokens)`;
}

/** The best and the worst value of a metric in a section, each with its judgement; empty without measurements. */
export function spanFinding(figures: readonly Figure[], words: SpanWords, thresholds: Thresholds): ReportFinding[] {
  const extremes = extremesOf(figures);
  if (extremes === null) return [];
  const [best, worst] = [words.judge(extremes.best, thresholds), words.judge(extremes.worst, thresholds)];
  const bestText = located(extremes.best, best.limits);
  if (figures.length === 1) {
    const said = say`${words.opening} ${bestText}, the only value measured: ${best.said}.`;
    return [finding(words.id, words.section, best.severity, said)];
  }
  const tie = tieOf(extremes.best, figures, best.limits);
  if (extremes.best.value === extremes.worst.value) {
    const said = say`${words.opening} ${bestText} and the same wherever it was measured: ${best.said}.`;
    return [finding(words.id, words.section, best.severity, said)];
  }
  const worstText = located(extremes.worst, worst.limits);
  const said = say`${words.opening} ${bestText} at best: ${best.said}. At worst it is ${worstText}: ${worst.said}.${tie}`;
  return [finding(words.id, words.section, severityOfSpan(best.severity, worst.severity), said)];
}
