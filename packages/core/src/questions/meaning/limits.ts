import type { Fault } from '../../errors.ts';
import { findMetric, type Metric } from '../../metrics/index.ts';
import type { Chunk } from '../readers/chunks.ts';
import type { Fact } from '../readers/loads.ts';
import { isRatio, metricOfUnit, metricWords, powerTo } from '../readers/metric-phrases.ts';
import { type Comparison, isDoubtful, type Quantity, scaled, spellingsOf } from '../words/numbers.ts';
import { type Words, written } from '../words/tokens.ts';
import { faultOf } from './faults.ts';

/** A limit on a metric as filters, with its words. */
export interface Limited {
  facts: Fact[];
  start: number;
  end: number;
  /** The interpretation of a limit without a metric name. */
  note?: string;
}

export interface Limits {
  limited: Limited[];
  /** Metrics that limits use. */
  used: ReadonlySet<Chunk>;
  faults: Fault[];
}

type MetricChunk = Extract<Chunk, { kind: 'metric' }>;

const asMetric = (chunk: Chunk | undefined): MetricChunk | null => (chunk?.kind === 'metric' ? chunk : null);

/** A share above 1 without a percent sign is ambiguous. */
function toValue(metric: Metric, { number, unit }: Quantity): number | null {
  const power = powerTo(metric, unit);
  if (power === null) return null;
  const value = scaled(number, power);
  return isRatio(metric) && unit === null && value > 1 ? null : value;
}

/** Maximum tokens per second to interpret as the speed of one user. Higher values are the total of all users. */
const userSpeedMax = 500;

/** The metric of "50 tok/s" and "2000 tok/s" if none is named. */
const speedOf = ({ number }: Quantity): Metric | null =>
  findMetric(scaled(number, 0) <= userSpeedMax ? 'user_tok_s' : 'output_tok_s');

const fits = (chunk: MetricChunk | null, limits: Comparison['limits']): chunk is MetricChunk => {
  const metric = chunk?.named.metric ?? null;
  return metric !== null && limits.every(({ quantity }) => toValue(metric, quantity) !== null);
};

/**
 * "tok/s/gpu at 50 tok/s/user": the metric directly after a number without a unit begins with its unit. "throughput at 50 tok/s
 * interactivity": a metric directly after a speed to reach is its name.
 */
function isUnitOf(words: Words, limit: Chunk, { start, end }: MetricChunk): boolean {
  const phrase = written(words, start, end).toLowerCase();
  const isUnit = spellingsOf('tok/s').some((spelling) => phrase.startsWith(spelling));
  return limit.end === start && (isUnit || words.tokens[limit.start]?.text === 'at');
}

/**
 * Assigns each limit to a metric: the one that is its unit, else the one before it, else the one after it, else the ranked one before it, else the metric
 * of its unit. `content` has the meaningful chunks in order; `ranked` has the metrics used by a rank.
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
    // A metric directly before another limit belongs to that limit, unless a metric follows that limit.
    const isNext = content[at + 2]?.kind === 'comparison' && asMetric(content[at + 3]) === null;
    const after = isFree(behind) && !isNext ? behind : null;
    const own = after !== null && isUnitOf(words, chunk, after) ? after : null;
    const chosen = [own, isFree(before) ? before : null, after, before].find((metric) => fits(metric, chunk.limits));
    const doubtful = chunk.limits.filter(({ quantity }) => isDoubtful(quantity));
    if (doubtful.length > 0) {
      faults.push(...doubtful.map(({ quantity }) => doubtOf(words, quantity)));
      for (const near of [before, behind]) if (near !== null) used.add(near);
      continue;
    }
    const [first] = chunk.limits;
    const speed = first?.quantity.unit?.of === 'tok/s' ? speedOf(first.quantity) : null;
    const implied = first?.quantity.unit ? (metricOfUnit(first.quantity.unit) ?? speed) : null;
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
    // "at 50 tok/s/user interactivity" names the metric twice.
    const repeated = chosen === undefined ? null : asMetric(content[content.indexOf(chosen) + 1]);
    if (repeated !== null && repeated.start === chosen?.end && repeated.named.name === chosen.named.name)
      used.add(repeated);
    limited.push({
      facts: values.flatMap(({ side, value }) =>
        value === null ? [] : [{ filter: `${side}_${metric.name}`, values: [value] }],
      ),
      start: Math.min(chunk.start, chosen?.start ?? chunk.start),
      end: Math.max(chunk.end, chosen?.end ?? chunk.end),
      ...(metric === speed && { note: `tok/s is interpreted as ${metricWords(metric.name)}` }),
      ...(chosen === undefined && metric.name === 'power_w' && { note: powerNote }),
    });
  }
  return { limited, used, faults };
}

/** "1.500 tok/s": a point that may separate thousands. */
function doubtOf(words: Words, { number, start, end }: Quantity): Fault {
  const whole = number.replace('.', '');
  const says = `may be ${Number(number)} or ${Number(whole).toLocaleString('en-US')}.`;
  return faultOf('number_ambiguous', written(words, start, end), says, `Use "${Number(number)}" or "${whole}".`);
}

const powerNote = 'W is interpreted as measured power; for the rated power of a GPU, use "tdp under 300 W"';

/** Why a limit is unusable: no metric is near, or its unit is different or missing. */
function faultOfQuantity(words: Words, quantity: Quantity, near: MetricChunk | null): Fault {
  const phrase = written(words, quantity.start, quantity.end);
  if (near === null)
    return faultOf(
      'limit_without_metric',
      phrase,
      'is a limit without a metric.',
      'Specify the metric, such as "ttft under 500 ms".',
    );
  const { metric, name } = near.named;
  if (metric === null)
    return faultOf(
      'limit_on_cost',
      phrase,
      'limits the cost, which can only be used to rank.',
      'Ask for the cheapest.',
    );
  const unit = metric.family.unit;
  const says = `is not a limit on ${metricWords(name)}.`;
  if (unit === 'ms' || unit === 's') return faultOf('unit_unfit', phrase, says, 'Give it in ms or s.');
  if (isRatio(metric)) return faultOf('unit_unfit', phrase, says, 'Give it in percent, or as a fraction up to 1.');
  return faultOf('unit_unfit', phrase, says, unit === '' ? 'Give a plain number.' : `Give it in ${unit}.`);
}
