import { figure, roundingOf } from '../../checks/check.ts';
import type { MetricName } from '../../metrics/index.ts';
import type { Metrics, Repeats, ResultKind } from '../adapter.ts';
import { type Report, toMetric } from './metrics.ts';
import type { NativeResult } from './schema.ts';

type Path = readonly PropertyKey[];

/** Maximum relative difference between the mean of the samples and the stated value, in addition to the value's rounding. */
const tolerance = 0.001;
const maxSamples = 10_000;

/** Entries whose name is a metric with a value in the result. The others are reported. */
function readNamed(
  values: Record<string, unknown>,
  at: Path,
  metrics: Metrics,
  kind: ResultKind,
  report: Report,
): { name: MetricName; value: unknown; path: Path }[] {
  const found = new Map<MetricName, { name: MetricName; value: unknown; path: Path }>();
  for (const [key, value] of Object.entries(values)) {
    if (report.isFull()) break;
    const path = [...at, key];
    const name = toMetric(key, kind, path, report)?.name;
    if (name === undefined) continue;
    if (found.has(name))
      report(path, 'metric_repeated', `${name} is given twice: the name without a statistic means the mean.`);
    else if (metrics[name] === undefined)
      report(path, 'value_missing', `${name} has no value in metrics.`, 'State the mean as well.');
    found.set(name, { name, value, path });
  }
  return [...found.values()];
}

const isFigure = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value) && value >= 0;

function readSamples(value: unknown, path: Path, report: Report): number[] | null {
  if (!Array.isArray(value) || value.length === 0 || value.length > maxSamples) {
    report(path, 'value_invalid', `Samples are a list of 1 to ${maxSamples} numbers.`);
    return null;
  }
  const samples: number[] = [];
  for (const [index, sample] of value.entries()) {
    if (isFigure(sample)) samples.push(sample);
    else {
      // Report one error per list.
      report([...path, index], 'value_invalid', 'A sample must be a number, 0 or more.');
      return null;
    }
  }
  return samples;
}

/** The samples replace the value in a point's statistics, so they must be the samples of that value. */
function checkMean(name: MetricName, stated: number, samples: readonly number[], path: Path, report: Report): void {
  const mean = samples.reduce((sum, sample) => sum + sample / samples.length, 0);
  if (Math.abs(mean - stated) <= roundingOf(stated) + tolerance * Math.abs(stated)) return;
  const message = `${name} is ${figure(stated)}, but the mean of its samples is ${figure(mean)}.`;
  report(path, 'samples_contradict', message, 'State the mean of the samples as the value, or omit the samples.');
}

/**
 * Reads `repeats`: repetitions that the submitter averaged. Samples and standard deviations belong to a value of the result.
 * All sample lists must have `n` entries, and their mean must be the value.
 */
export function readRepeats(
  result: NativeResult,
  metrics: Metrics,
  kind: ResultKind,
  at: Path,
  report: Report,
): Repeats | null {
  if (result.repeats == null) return null;
  const { n = null } = result.repeats;
  const within = [...at, 'repeats'];
  const sd: Repeats['sd'] = {};
  for (const { name, value, path } of readNamed(result.repeats.sd ?? {}, [...within, 'sd'], metrics, kind, report)) {
    if (isFigure(value)) sd[name] = value;
    else report(path, 'value_invalid', 'A standard deviation must be a number, 0 or more.');
  }
  const samples: Partial<Record<MetricName, number[]>> = {};
  let wanted = n;
  for (const { name, value, path } of readNamed(
    result.repeats.samples ?? {},
    [...within, 'samples'],
    metrics,
    kind,
    report,
  )) {
    const list = readSamples(value, path, report);
    if (list === null) continue;
    samples[name] = list;
    if (wanted !== null && list.length !== wanted) {
      const other = n === null ? `another metric has ${wanted}` : `n is ${wanted}`;
      report(path, 'samples_miscounted', `${list.length} samples, but ${other}.`);
    }
    wanted ??= list.length;
    const stated = metrics[name];
    if (stated !== undefined) checkMean(name, stated, list, path, report);
  }
  return { n, sd, samples: Object.keys(samples).length === 0 ? null : samples };
}
