import type { Fault } from '../errors.ts';
import type { Metric } from '../metrics/index.ts';
import type { Chunk } from './chunks.ts';
import { faultOf } from './faults.ts';
import type { Fact } from './loads.ts';
import { isRatio, metricOfUnit, metricWords, powerTo } from './metric-phrases.ts';
import { type Comparison, type Quantity, scaled } from './numbers.ts';
import { type Words, written } from './tokens.ts';

/** A limit on a metric as filters, with the words it came from. */
export interface Limited {
  facts: Fact[];
  start: number;
  end: number;
}

export interface Limits {
  limited: Limited[];
  /** Metrics that a limit has taken. */
  used: ReadonlySet<Chunk>;
  faults: Fault[];
}

type MetricChunk = Extract<Chunk, { kind: 'metric' }>;

const asMetric = (chunk: Chunk | undefined): MetricChunk | null => (chunk?.kind === 'metric' ? chunk : null);

/** A share above 1 that is not in percent may be either. */
function toValue(metric: Metric, { number, unit }: Quantity): number | null {
  const power = powerTo(metric, unit);
  if (power === null) return null;
  const value = scaled(number, power);
  return isRatio(metric) && unit === null && value > 1 ? null : value;
}

const fits = (chunk: MetricChunk | null, limits: Comparison['limits']): chunk is MetricChunk => {
  const metric = chunk?.named.metric ?? null;
  return metric !== null && limits.every(({ quantity }) => toValue(metric, quantity) !== null);
};

/**
 * `content`: the chunks that say something, in order; `ranked`: metrics that a rank has taken. A limit is on the metric
 * before it, else on the one behind it, else on the ranked one before it, else on the one its unit measures.
 */
export function readLimits(words: Words, content: readonly Chunk[], ranked: ReadonlySet<Chunk>): Limits {
  const limited: Limited[] = [];
  const used = new Set<Chunk>();
  const faults: Fault[] = [];
  for (const [at, chunk] of content.entries()) {
    if (chunk.kind !== 'comparison') continue;
    const before = asMetric(content[at - 1]);
    const behind = asMetric(content[at + 1]);
    const isFree = (metric: MetricChunk | null) => metric !== null && !used.has(metric) && !ranked.has(metric);
    // What a further limit follows belongs to that one, unless that one has a metric behind it.
    const isNext = content[at + 2]?.kind === 'comparison' && asMetric(content[at + 3]) === null;
    const chosen = [isFree(before) ? before : null, isFree(behind) && !isNext ? behind : null, before].find((metric) =>
      fits(metric, chunk.limits),
    );
    const [first] = chunk.limits;
    const implied = first?.quantity.unit ? metricOfUnit(first.quantity.unit) : null;
    const metric = chosen?.named.metric ?? implied;
    const values = chunk.limits.map(({ side, quantity }) => ({
      side,
      value: metric === null ? null : toValue(metric, quantity),
    }));
    if (metric === null || values.some(({ value }) => value === null)) {
      faults.push(...chunk.limits.map(({ quantity }) => faultOfQuantity(words, quantity, before ?? behind)));
      for (const near of [before, behind]) if (near !== null) used.add(near);
      continue;
    }
    if (chosen) used.add(chosen);
    limited.push({
      facts: values.flatMap(({ side, value }) =>
        value === null ? [] : [{ filter: `${side}_${metric.name}`, values: [value] }],
      ),
      start: Math.min(chunk.start, chosen?.start ?? chunk.start),
      end: Math.max(chunk.end, chosen?.end ?? chunk.end),
    });
  }
  return { limited, used, faults };
}

/** Why a limit has no place: no metric is near, it is told in another unit, or in none. */
function faultOfQuantity(words: Words, quantity: Quantity, near: MetricChunk | null): Fault {
  const phrase = written(words, quantity.start, quantity.end);
  if (near === null)
    return faultOf('limit_without_metric', phrase, 'limits no metric.', 'Say which one, such as "ttft under 500 ms".');
  const { metric, name } = near.named;
  if (metric === null)
    return faultOf('limit_on_cost', phrase, 'limits the cost, which can only be ranked by.', 'Ask for the cheapest.');
  const unit = metric.family.unit;
  const says = `is no limit on ${metricWords(name)}.`;
  if (unit === 'ms' || unit === 's') return faultOf('unit_unfit', phrase, says, 'Say it in ms or s.');
  if (isRatio(metric)) return faultOf('unit_unfit', phrase, says, 'Say it in percent, or as a share up to 1.');
  return faultOf('unit_unfit', phrase, says, unit === '' ? 'Say a plain number.' : `Say it in ${unit}.`);
}
