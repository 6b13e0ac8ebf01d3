import { findMetric } from '../../metrics/index.ts';
import { statedOnly } from '../../records/attach.ts';
import type { RecomputedFigure, Records } from '../../records.ts';
import type { Result } from '../../subjects/result.ts';
import { type Check, type Doubt, figure, roundingOf, unchecked } from '../check.ts';

const title = 'Stated figures agree with the records';
const tolerance = 0.005;
/** Request counts, which are not measurements. */
const counted = new Set(['requests_ok', 'requests_failed']);
/** Relative floating-point remainder in the deviation of equal values. */
const dust = 1e-9;

/** Gaps between chunks equal gaps between tokens if every chunk is one token. */
function isSameFormula(stated: string | undefined, ours: string | undefined): boolean {
  if (stated === undefined || ours === undefined || stated === 'not_stated') return true;
  return stated === ours || (ours === 'per_token' && stated === 'per_chunk');
}

function compare(stated: number, { name, value, low, high }: RecomputedFigure): Doubt[] {
  const share = counted.has(name) ? 0 : tolerance;
  const rounding = counted.has(name) ? 0 : roundingOf(stated) + (findMetric(name)?.statistic === 'sd' ? dust : 0);
  const lower = low * (1 - share) - rounding;
  const upper = high * (1 + share) + rounding;
  if (stated >= lower && stated <= upper) return [];
  const recomputed = value ?? (stated < low ? low : high);
  const metric = findMetric(name);
  const unit = metric?.family.unit === '' ? '' : ` ${metric?.family.unit}`;
  const bound = value !== null ? '' : stated < low ? 'at least ' : 'at most ';
  return [
    {
      severity: 'violation',
      message: `${metric?.title ?? name} is stated as ${figure(stated)}${unit}, but the records of the requests give ${bound}${figure(recomputed)}${unit}.`,
      evidence: { metric: name, stated, recomputed, lower, upper: Number.isFinite(upper) ? upper : null },
    },
  ];
}

/** Maximum number of contradictions listed one by one. Dozens usually have one common cause. */
const reportedMost = 10;

function abridge(doubts: readonly Doubt[]): Doubt[] {
  const rest = doubts.slice(reportedMost).map(({ evidence }) => String(evidence.metric));
  if (rest.length === 0) return [...doubts];
  const message = `${rest.length} more stated figures differ from the records: ${rest.join(', ')}.`;
  return [...doubts.slice(0, reportedMost), { severity: 'violation', message, evidence: { metrics: rest } }];
}

/** Returns stated latencies and rates that records do not give, give only as bounds, or give by another formula. */
function namesNotCompared(result: Result, { stated, statedDefinitions }: Records): string[] {
  const bases = new Set(Object.keys(stated).map((name) => findMetric(name)?.family.base));
  const others = Object.entries(statedDefinitions)
    .filter(([base, id]) => bases.has(base) && !isSameFormula(id, result.definitions[base]))
    .map(([base, id]) => `${base} as ${id}`);
  return [...statedOnly(result), ...others];
}

export const r1RecordsContradict: Check = {
  id: 'R1',
  code: 'records_contradict',
  title,
  rule:
    'Every latency, count and rate is computed again from the requests and compared with the figure that was stated: within 0.5 % and the rounding of the figure as written, counts of requests exactly. ' +
    'A percentile may be anywhere between the neighbouring samples, a standard deviation may divide by n or n - 1, a duration may be 50 ms longer than the requests took. ' +
    'Needs the field in every successful request; gaps per chunk are not compared with gaps per token. A figure outside is a violation. The stored result uses the recomputed figures.',
  check({ result }) {
    const { records } = result;
    if (records === null) return 'not_applicable';
    const compared = records.figures.flatMap((ours) => {
      const stated = records.stated[ours.name];
      const base = findMetric(ours.name)?.family.base ?? ours.name;
      const isComparable = isSameFormula(records.statedDefinitions[base], result.definitions[base]);
      return stated === undefined || !isComparable ? [] : [compare(stated, ours)];
    });
    const doubts = abridge(compared.flat());
    const missing = namesNotCompared(result, records);
    const open = missing.length === 0 ? [] : unchecked(title, [`records with ${missing.join(', ')}`]);
    if (doubts.length + open.length > 0) return [...doubts, ...open];
    return compared.length === 0 ? 'not_applicable' : 'pass';
  },
};
