import type { System } from '../subjects/system.ts';
import { inOrder, levelsOf, toSeries } from './figures.ts';
import { finding, gapsBetween, type SpanWords, spanFinding } from './findings-common.ts';
import { judgeItl, judgeScaling, judgeSpeed, judgeTtft, severityOfSpan } from './judge.ts';
import { rangesOf } from './ranges.ts';
import { type Reading, readMetrics } from './reading.ts';
import { rooflineFinding, rooflineOf } from './roofline.ts';
import { basisWords, ofOneBasis, scalingEfficiencies, withoutSingle } from './scaling.ts';
import { limit, listed, located, named, number, type Said, say, silence } from './sentence.ts';
import type { Thresholds } from './thresholds.ts';
import type { Figure, PeakSection, Range, ReportFinding, ReportPoint } from './types.ts';

/** Maximum requests in flight of the section. */
export const peakLevelMax = 32;

const spans: Record<'user_tok_s' | 'ttft_ms_mean', SpanWords> = {
  user_tok_s: { id: 'peak_speed', section: 'peak', opening: 'In a closed loop a user is served', judge: judgeSpeed },
  ttft_ms_mean: {
    id: 'peak_ttft',
    section: 'peak',
    opening: 'In a closed loop the first token comes after',
    judge: judgeTtft,
  },
};

const itlWords = (points: readonly ReportPoint[]): SpanWords => ({
  id: 'peak_itl',
  section: 'peak',
  opening: `In a closed loop the gap between ${gapsBetween(points)} is`,
  judge: judgeItl,
});

/** States that longer prompts keep less only if it is true for each step between the scenarios. */
function lengthNote(figures: readonly Figure[]): Said {
  const steps = figures.slice(1).map((figure, index) => [figures[index], figure] as const);
  const fallsAlong = steps.every(([shorter, longer]) => {
    const [a, b] = [shorter?.scenario.inputTokens ?? null, longer.scenario.inputTokens];
    return shorter !== undefined && a !== null && b !== null && a < b && longer.value < shorter.value;
  });
  return steps.length > 0 && fallsAlong ? say` Longer prompts keep less.` : silence;
}

function scalingFinding(figures: readonly Figure[], thresholds: Thresholds): ReportFinding[] {
  const level = figures.reduce((top, { load }) => Math.max(top, load.level ?? 0), 0);
  const atTop = ofOneBasis(figures.filter(({ load }) => load.level === level));
  const [first] = atTop;
  if (first === undefined) return [];
  const high = atTop.reduce((a, b) => (b.value > a.value ? b : a), first);
  const low = atTop.reduce((a, b) => (b.value < a.value ? b : a), first);
  const [best, worst] = [judgeScaling(high, thresholds), judgeScaling(low, thresholds)];
  const opening = say`Of the single-user speed, each user keeps ${located(high, best.limits)}`;
  const verdicts =
    best.said.text === worst.said.text
      ? say`Either is ${best.said}.`
      : say`The former is ${best.said}; the latter ${worst.said}.`;
  const said =
    high.value === low.value
      ? say`${opening}, ${basisWords(first)}: ${best.said}.`
      : say`${opening} down to ${located(low, worst.limits)}, ${basisWords(first)}. ${verdicts}${lengthNote(atTop)}`;
  return [finding('peak_scaling', 'peak', severityOfSpan(best.severity, worst.severity), said)];
}

function withoutSingleFinding(points: readonly ReportPoint[]): ReportFinding[] {
  const lacking = withoutSingle(points);
  if (lacking.length === 0) return [];
  const titles = listed(lacking.map(named));
  const said = say`No single user was measured in a closed loop for ${titles}, so its scaling is unknown.`;
  return [finding('peak_scaling_unknown', 'peak', 'info', said)];
}

/** The range of the workloads at the highest load that more than one was measured at. */
function rangeFinding(ranges: readonly Range[], { rangeNarrow }: Thresholds): ReportFinding[] {
  const top = ranges.findLast(({ scenarios }) => scenarios > 1);
  if (top === undefined || top.low.value <= 0) return [];
  const isNarrow = top.high.value <= top.low.value * rangeNarrow.value;
  const verdict = isNarrow
    ? say`at most ${limit(rangeNarrow)} apart, so the workload matters little`
    : say`more than ${limit(rangeNarrow)} apart, so the workload matters`;
  const said = say`Per-user speed is between ${located(top.low)} and ${number(top.high)} (${named(top.high.scenario)}): ${verdict}.`;
  return [finding('peak_range', 'peak', isNarrow ? 'good' : 'notice', said)];
}

/** Closed loop of 1 to 32 requests: series, ranges across the scenarios, and findings. Null without points. */
export function readPeak(
  points: readonly ReportPoint[],
  thresholds: Thresholds,
  system: System | null,
): Reading<PeakSection> | null {
  if (points.length === 0) return null;
  const ordered = inOrder(points);
  const { figures, otherDefinition } = readMetrics(ordered, ['user_tok_s', 'itl_ms_mean', 'ttft_ms_mean']);
  const scaling = scalingEfficiencies(ordered);
  const speedRanges = rangesOf(figures.user_tok_s);
  const roofline = system === null ? { figures: [], missing: ['the system'] } : rooflineOf(ordered, system);
  return {
    section: {
      levels: levelsOf(ordered),
      userTokS: toSeries(figures.user_tok_s),
      itlMs: toSeries(figures.itl_ms_mean),
      ttftMs: toSeries(figures.ttft_ms_mean),
      scalingEfficiency: toSeries(scaling),
      rooflineUserTokS: toSeries(roofline.figures),
      rooflineMissing: roofline.missing,
    },
    ranges: [...speedRanges, ...rangesOf(figures.ttft_ms_mean)],
    findings: [
      ...spanFinding(figures.user_tok_s, spans.user_tok_s, thresholds),
      ...rooflineFinding(figures.user_tok_s, roofline.figures, thresholds),
      ...spanFinding(figures.itl_ms_mean, itlWords(ordered), thresholds),
      ...scalingFinding(scaling, thresholds),
      ...withoutSingleFinding(ordered),
      ...rangeFinding(speedRanges, thresholds),
      ...spanFinding(figures.ttft_ms_mean, spans.ttft_ms_mean, thresholds),
    ],
    otherDefinition,
  };
}
