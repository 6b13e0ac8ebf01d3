import type { Metric } from '@inferboard/core/metrics/index';
import { changeBounds, judgeChange, type Verdict } from '@inferboard/core/series/change';
import type { Change, HistoryValue } from '../../../lib/api.ts';
import {
  formatFigure,
  formatInterval,
  formatPercent,
  formatSd,
  formatTime,
  formatWithUnit,
} from '../../../lib/format.ts';

/** Label of a verdict, and whether it is an improvement. */
export const verdictWords: Record<Verdict, { label: string; tone: 'good' | 'bad' | 'plain' }> = {
  regression: { label: 'Regression', tone: 'bad' },
  improvement: { label: 'Improvement', tone: 'good' },
  stable: { label: 'Stable', tone: 'plain' },
  insufficient_data: { label: 'Not enough data', tone: 'plain' },
};

export type Tone = (typeof verdictWords)[Verdict]['tone'];

/** The criterion for a change, in a sentence. */
export const judgementText = `A regression or an improvement is a change of ${changeBounds.effect * 100} % or more whose 95 % interval excludes 1, with ${changeBounds.repetitions} repetitions or more on each side.`;

/** True for a change for better or worse. */
export const isJudged = ({ verdict }: Pick<Change, 'verdict'>): boolean =>
  verdict === 'regression' || verdict === 'improvement';

/** True for a change that the list shows at once: a judged one, or a first place. */
export const hasVerdict = ({ type, verdict }: Pick<Change, 'type' | 'verdict'>): boolean =>
  type === 'new_best' || verdict !== 'insufficient_data';

/** Label of a change in the list: its event, else its verdict. */
export function changeBadge({ type, verdict }: Pick<Change, 'type' | 'verdict'>): { label: string; tone: Tone } {
  return type === 'new_best' ? { label: 'New best', tone: 'good' } : verdictWords[verdict];
}

/** A value with its n, interval and date. */
export interface Side {
  /** "0.11.0, 2026-07" */
  what: string;
  systemId: string;
  href: string;
  value: string;
  sd: string | null;
  /** "n 4, 95 % 883.6 to 931.4" */
  basis: string;
  when: string;
}

export interface Judged {
  fresh: Side;
  /** Null without a baseline. */
  before: Side | null;
  /** Null if the metric has no better direction, or without a baseline. */
  verdict: { label: string; tone: Tone } | null;
  /** "8.1 % worse" */
  effect: string | null;
  /** "0.919 (0.908 to 0.93)": new over old. */
  ratio: string | null;
  reason: string | null;
}

/** "measured 4 Jul 2026", or the date of its import if it states none. */
export const whenText = ({ at, at_is: is }: Pick<HistoryValue, 'at' | 'at_is'>): string =>
  `${is} ${formatTime(at).replace(/,.*$/, '')}`;

/** The version of a value, with the month if values are grouped by month. */
export const valueName = ({ engine_version: version, month }: HistoryValue): string =>
  [version ?? 'no stated version', month].filter((part) => part !== null).join(', ');

export const valueHref = ({ system_id: system, submission_id: submission, result_id: result }: HistoryValue): string =>
  submission === null ? `/systems/${system}` : `/submissions/${submission}#${result}`;

function toSide(value: HistoryValue, unit: string): Side {
  const { mean, n, ci95 } = value;
  const interval = formatInterval(mean, unit, ci95, value);
  return {
    what: valueName(value),
    systemId: value.system_id,
    href: valueHref(value),
    value: formatWithUnit(mean, unit, value),
    sd: formatSd(mean, unit, value),
    basis: [n === null ? 'n not stated' : `n ${n}`, interval === null ? null : `95 % ${interval}`]
      .filter((part) => part !== null)
      .join(', '),
    when: whenText(value),
  };
}

/** An unknown n counts as 1, as in the API's verdict. */
const toFigure = ({ n, mean, sd, definition }: HistoryValue) => ({ n: n ?? 1, mean, sd, definition });

/** The baseline of the newest value of a series; null without one. */
export function baselineOf(values: readonly HistoryValue[], baseline: string): HistoryValue | null {
  const earlier = values.slice(0, -1);
  if (baseline === 'previous') return earlier.at(-1) ?? null;
  if (baseline === 'first') return earlier[0] ?? null;
  return earlier.findLast(({ system_id: system }) => system === baseline) ?? null;
}

/** The newest value of a series and its baseline; null for a series without values. */
export function judge(metric: Metric, values: readonly HistoryValue[], baseline: string): Judged | null {
  const fresh = values.at(-1);
  if (fresh === undefined) return null;
  const before = baselineOf(values, baseline);
  const { unit, direction } = metric.family;
  const sides = { fresh: toSide(fresh, unit), before: before && toSide(before, unit) };
  const nothing = { verdict: null, effect: null, ratio: null };
  if (before === null) return { ...sides, ...nothing, reason: 'There is no other value to compare with.' };
  if (direction === 'neutral') return { ...sides, ...nothing, reason: 'This metric has no better direction.' };
  const { verdict, effect, ratio, interval, reason } = judgeChange(metric, toFigure(fresh), toFigure(before));
  const size = effect === null || effect === 0 ? null : formatPercent(Number(Math.abs(effect).toPrecision(6)));
  const formatted = formatFigure(ratio, '×', { ci95: interval });
  return {
    ...sides,
    verdict: verdictWords[verdict],
    effect: effect === 0 ? 'no change' : size === null ? null : `${size} ${(effect ?? 0) > 0 ? 'better' : 'worse'}`,
    ratio: formatted && `${formatted.number}${formatted.interval === null ? '' : ` (${formatted.interval})`}`,
    reason,
  };
}
