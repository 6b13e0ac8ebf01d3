import { extremesOf, inOrder, levelsOf, toSeries } from './figures.ts';
import { finding, tieOf } from './findings-common.ts';
import { judgeScaling, judgeSpeed } from './judge.ts';
import { type Reading, readMetrics } from './reading.ts';
import { basisWords, ofOneBasis, scalingEfficiencies } from './scaling.ts';
import { located, say } from './sentence.ts';
import type { Thresholds } from './thresholds.ts';
import type { BatchSection, Figure, ReportFinding, ReportPoint } from './types.ts';

/** One sequence at a time: the single-user speed of a program without other requests. */
function singleFinding(decode: readonly Figure[], thresholds: Thresholds): ReportFinding[] {
  const singles = decode.filter(({ load }) => load.level === 1);
  const extremes = extremesOf(singles);
  if (extremes === null) return [];
  const { best } = extremes;
  const { severity, said: verdict, limits } = judgeSpeed(best, thresholds);
  const tie = tieOf(best, singles, limits);
  const said = say`A single offline sequence is decoded at up to ${located(best, limits)}: ${verdict}.${tie}`;
  return [finding('batch_single', 'batch', severity, said)];
}

function largestFinding(decode: readonly Figure[]): ReportFinding[] {
  const shared = decode.filter(({ load }) => load.level !== 1);
  const extremes = extremesOf(shared);
  if (extremes === null) return [];
  const said = say`Static batches reach ${located(extremes.best)} in total while decoding.${tieOf(extremes.best, shared, [])}`;
  return [finding('batch_decode', 'batch', 'info', said)];
}

function scalingFinding(figures: readonly Figure[], thresholds: Thresholds): ReportFinding[] {
  const extremes = extremesOf(ofOneBasis(figures));
  if (extremes === null) return [];
  const { worst } = extremes;
  const { severity, said: verdict, limits } = judgeScaling(worst, thresholds);
  const said = say`In a static batch, a sequence keeps at least ${located(worst, limits)} of its single-sequence speed, ${basisWords(worst)}: ${verdict}.`;
  return [finding('batch_scaling', 'batch', severity, said)];
}

/** Static offline batches: rates by batch, and their findings. Null without points. */
export function readBatch(points: readonly ReportPoint[], thresholds: Thresholds): Reading<BatchSection> | null {
  if (points.length === 0) return null;
  const ordered = inOrder(points);
  const { figures, otherDefinition } = readMetrics(ordered, ['decode_tok_s', 'output_tok_s', 'prefill_tok_s']);
  const scaling = scalingEfficiencies(ordered);
  return {
    section: {
      levels: levelsOf(ordered),
      decodeTokS: toSeries(figures.decode_tok_s),
      outputTokS: toSeries(figures.output_tok_s),
      prefillTokS: toSeries(figures.prefill_tok_s),
      scalingEfficiency: toSeries(scaling),
    },
    ranges: [],
    findings: [
      ...singleFinding(figures.decode_tok_s, thresholds),
      ...largestFinding(figures.decode_tok_s),
      ...scalingFinding(scaling, thresholds),
    ],
    otherDefinition,
  };
}
