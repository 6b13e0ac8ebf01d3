import { itemKey, type PlanPoint, scenarioTitle } from '@inferboard/core/plans/point';
import {
  groupRepetitions,
  judgeRepetitions,
  nextRepetition,
  type Repetition,
  type RepetitionFigures,
  type Until,
} from '@inferboard/core/plans/until';
import { formatLoad } from '@inferboard/core/subjects/load';
import type { LoadRecord } from '../measure/records/load-record.ts';
import type { LoadSummary } from '../measure/records/summarise-load.ts';
import type { MeasuredPoint } from '../points/measure-point.ts';
import { type PointSource, requestsSoFar } from './point-source.ts';

const hasFigure = (figures: RepetitionFigures) => Object.values(figures).some((value) => value !== null);

/** The figures of a repetition; null if it has none. */
export function figuresOf(
  { throughput, latencies }: LoadSummary,
  { documents }: Pick<LoadRecord, 'documents'>,
): RepetitionFigures | null {
  const figures = {
    'output tok/s': documents ? null : (throughput?.output_tok_s ?? null),
    'req/s': documents ? (throughput?.req_s ?? null) : null,
    'mean TTFT': latencies.ttft_from_sent?.mean ?? null,
    'mean TPOT': latencies.tpot_per_token?.mean ?? null,
  };
  return hasFigure(figures) ? figures : null;
}

const toRepetition = ({ point, summary, record }: MeasuredPoint): Repetition => ({
  point,
  figures: figuresOf(summary, record),
});

/** Each point of a plan, repeated in rounds until its figures are stable. `points` are those of one round. */
export function repeatedPoints(points: readonly PlanPoint[], until: Until): PointSource {
  const { ci } = until;
  const heldPoints = (skipped: readonly PlanPoint[]) => {
    const keys = new Set(skipped.map(itemKey));
    return points.filter((point) => !keys.has(itemKey(point)));
  };
  return {
    next: (measured, skipped) => nextRepetition(heldPoints(skipped), measured.map(toRepetition), until),
    requests: requestsSoFar,
    conclude: (measured, skipped) => {
      const groups = groupRepetitions(measured.map(toRepetition));
      const judged = heldPoints(skipped).map((point) => {
        const { repetitions, widest, isStable } = judgeRepetitions(groups.get(itemKey(point)) ?? [], until);
        const width = widest === null ? '' : `: ±${(100 * widest.width).toFixed(1)} % at 95 % (${widest.figure})`;
        const goal = isStable ? '' : `, wider than the ±${Number((100 * ci).toPrecision(3))} % of --until`;
        const line = `${scenarioTitle(point.scenario)}, ${formatLoad(point.load)}: ${repetitions} repetitions${width}${goal}.`;
        return { line: isStable ? line : `! ${line}`, isStable };
      });
      return { lines: judged.map(({ line }) => line), isReached: judged.every(({ isStable }) => isStable) };
    },
    toleratesFailures: false,
  };
}
