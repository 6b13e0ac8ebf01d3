import { maxSafeQueue } from '../series/max-safe-queue.ts';
import { fewest, inOrder, levelsOf, scenarioKeyOf, scenariosOf, toSeries } from './figures.ts';
import { finding, gapsBetween, type SpanWords, spanFinding } from './findings-common.ts';
import { judgeItl, judgeSpeed, judgeTtft } from './judge.ts';
import { rangesOf } from './ranges.ts';
import { type Reading, readMetrics } from './reading.ts';
import { atLoad, limit, listed, named, number, type Said, say, silence } from './sentence.ts';
import type { Thresholds } from './thresholds.ts';
import type { BurstSection, Figure, ReportFinding, ReportPoint, SafeQueue, Series } from './types.ts';

/** Maximum queue depth of the section. */
export const burstLevelMax = 256;

const spans: Record<'user_tok_s' | 'ttft_ms_mean', SpanWords> = {
  user_tok_s: { id: 'burst_speed', section: 'burst', opening: 'In a burst a user is served', judge: judgeSpeed },
  ttft_ms_mean: {
    id: 'burst_ttft',
    section: 'burst',
    opening: 'In a burst the first token comes after',
    judge: judgeTtft,
  },
};

const itlWords = (points: readonly ReportPoint[]): SpanWords => ({
  id: 'burst_itl',
  section: 'burst',
  opening: `In a burst the gap between ${gapsBetween(points)} is`,
  judge: judgeItl,
});

/** The safe depth of one scenario, from its mean TTFT at each depth. Null if it was not measured. */
function safeQueueOf({ scenario, values }: Series, limitS: number): SafeQueue | null {
  const byDepth = new Map(
    values.flatMap((figure) => (figure.load.level === null ? [] : [[figure.load.level, figure]])),
  );
  const queue = maxSafeQueue(
    [...byDepth].map(([depth, { value }]) => ({ depth, ttftS: value / 1000 })),
    limitS,
  );
  if (queue === null) return null;
  const { answer, bound, text, statistic, between, cleaned } = queue;
  const [from, to] = (between ?? []).map(({ depth }) => byDepth.get(depth));
  return {
    scenario,
    unit: 'requests',
    limitS,
    statistic,
    answer,
    bound,
    text,
    n: fewest(values.map(({ n }) => n)),
    definition: values[0]?.definition ?? null,
    measured: values,
    isEvened: cleaned.some(
      ({ depth, ttftS }) => ttftS > (byDepth.get(depth)?.value ?? Number.POSITIVE_INFINITY) / 1000,
    ),
    between: from === undefined || to === undefined ? null : [from, to],
  };
}

/** The estimate as a separate figure, so that the sentence can cite it. */
function answerOf({ scenario, answer, n, bound, measured }: SafeQueue): Figure | null {
  const [first] = measured;
  if (answer === null || first === undefined) return null;
  const { source } = first;
  const load = { mode: 'burst', level: answer } as const;
  const of = { scenario, load, source, n, ci95: null, definition: bound, derived: true };
  return { metric: 'max_safe_queue', value: answer, unit: 'requests', ...of };
}

/** Marks a linear interpolation over a wide gap between depths as rough. */
function roughNote([from, to]: [Figure, Figure], { gapRough }: Thresholds): Said {
  const [a, b] = [from.load.level ?? 0, to.load.level ?? 0];
  if (b <= a * gapRough.value) return silence;
  return say` These depths are more than ${limit(gapRough)} apart, so the estimate is rough.`;
}

/** The finding for a scenario's queue at the TTFT limit, from the measured depths. */
export function safeQueueFinding(queue: SafeQueue, thresholds: Thresholds): ReportFinding[] {
  const { scenario, bound, between, measured } = queue;
  const { ttft } = thresholds;
  const id = `burst_max_safe_queue_${scenario.id}`;
  const [first, last] = [measured[0], measured.at(-1)];
  const answer = answerOf(queue);
  if (first === undefined || last === undefined) return [];
  if (answer === null) {
    const said = say`${named(scenario)}: the mean wait for the first token is over ${limit(ttft)} at the smallest burst measured: ${atLoad(first, [ttft])}.`;
    return [finding(id, 'burst', 'bad', said)];
  }
  if (bound === 'at_least' || between === null) {
    const said = say`${named(scenario)}: every burst measured stays within ${limit(ttft)} for the mean wait for the first token, so at least ${number(answer)} may arrive at once; the largest gave ${atLoad(last, [ttft])}.`;
    return [finding(id, 'burst', 'good', said)];
  }
  const line = listed(between.map((figure) => atLoad(figure, [ttft])));
  const evened = queue.isEvened ? say` Dips (deeper bursts with a shorter wait) were evened out first.` : silence;
  const said = say`${named(scenario)}: about ${number(answer)} may arrive at once before the mean wait for the first token exceeds ${limit(ttft)}, interpolated between ${line}.${evened}${roughNote(between, thresholds)}`;
  return [finding(id, 'burst', 'notice', said)];
}

function unknownQueueFinding(points: readonly ReportPoint[], known: readonly Series[]): ReportFinding[] {
  const keys = new Set(known.map(({ scenario }) => scenarioKeyOf(scenario)));
  const lacking = scenariosOf(points).filter((scenario) => !keys.has(scenarioKeyOf(scenario)));
  if (lacking.length === 0) return [];
  const said = say`No mean wait for the first token was measured in a burst for ${listed(lacking.map(named))}, so the safe queue there is unknown.`;
  return [finding('burst_max_safe_queue_unknown', 'burst', 'info', said)];
}

/** Bursts of 1 to 256 requests: series, the safe queue of each scenario, and findings. Null without points. */
export function readBurst(points: readonly ReportPoint[], thresholds: Thresholds): Reading<BurstSection> | null {
  if (points.length === 0) return null;
  const ordered = inOrder(points);
  const { figures, otherDefinition } = readMetrics(ordered, ['user_tok_s', 'itl_ms_mean', 'ttft_ms_mean']);
  const waits = toSeries(figures.ttft_ms_mean);
  const queues = waits.flatMap((series) => safeQueueOf(series, thresholds.ttft.value) ?? []);
  return {
    section: {
      levels: levelsOf(ordered),
      ttftMs: waits,
      itlMs: toSeries(figures.itl_ms_mean),
      userTokS: toSeries(figures.user_tok_s),
      maxSafeQueue: queues,
    },
    ranges: [...rangesOf(figures.user_tok_s), ...rangesOf(figures.ttft_ms_mean)],
    findings: [
      ...spanFinding(figures.ttft_ms_mean, spans.ttft_ms_mean, thresholds),
      ...spanFinding(figures.itl_ms_mean, itlWords(ordered), thresholds),
      ...spanFinding(figures.user_tok_s, spans.user_tok_s, thresholds),
      ...queues.flatMap((queue) => safeQueueFinding(queue, thresholds)),
      ...unknownQueueFinding(ordered, waits),
    ],
    otherDefinition,
  };
}
