import type { Report } from '@inferboard/api/client';
import { findFamily, findMetric } from '@inferboard/core/metrics/index';
import { formatLoad } from '@inferboard/core/subjects/load';
import { formatDigits } from '../../../lib/format.ts';
import { localPath } from '../../board/data/board-view.ts';

export type { Report } from '@inferboard/api/client';

type Peak = NonNullable<Report['peak']>;
type Burst = NonNullable<Report['burst']>;

export type ReportSeries = Peak['user_tok_s'][number];
/** A value of the report with its workload and load. The client's type includes the headline's null. */
export type ReportFigure = NonNullable<ReportSeries['values'][number]>;
export type ReportScenario = ReportFigure['scenario'];
export type ReportFinding = Report['findings'][number];
export type ReportRange = Report['ranges'][number];
export type SafeQueue = NonNullable<Burst['max_safe_queue'][number]>;

/** Values without the headline's nulls. */
export const figuresOf = ({ values }: ReportSeries): ReportFigure[] => values.filter((value) => value !== null);

/** Number format of one metric in a report. */
export interface Quantity {
  title: string;
  unit: string;
  /** "172.5 tok/s", "41 %". */
  text(value: number): string;
  /** The same without its unit, for an axis. */
  tick(value: number): string;
}

/** "9,774", "0.189": rounded to significant digits, without padding zeros. */
export function significant(value: number, digits: number): string {
  // Digits before the decimal point are never rounded.
  const whole = Math.trunc(Math.abs(value)) === 0 ? 0 : Math.floor(Math.log10(Math.abs(value))) + 1;
  return formatDigits(value, Math.max(digits, whole));
}

const shares: ReadonlySet<string> = new Set(['scaling_efficiency', 'roofline_share', 'mbu', 'mfu']);

/** Unit, factor and digits of a metric. Times are in seconds if one of them is long. */
export function quantityOf(name: string, values: readonly number[]): Quantity {
  const metric = findMetric(name);
  const registered = metric?.family.unit ?? '';
  const isSeconds = registered === 'ms' && values.some((value) => Math.abs(value) >= 1000);
  const [unit, factor, digits] = shares.has(name)
    ? (['%', 100, 2] as const)
    : isSeconds
      ? (['s', 1e-3, 3] as const)
      : ([registered, 1, registered === 'ms' ? 3 : 4] as const);
  const number = (value: number) => significant(value * factor, digits);
  return {
    title: metric?.family.title ?? name.replaceAll('_', ' '),
    unit,
    text: (value) => (unit === '' ? number(value) : `${number(value)} ${unit}`),
    tick: number,
  };
}

/** Text of a single value, in a unit that suits it. */
export const figureText = ({ metric, value }: Pick<ReportFigure, 'metric' | 'value'>): string =>
  quantityOf(metric, [value]).text(value);

/** "Chatbot, 32 concurrent" */
export const placeText = ({ scenario, load }: Pick<ReportFigure, 'scenario' | 'load'>): string =>
  `${scenario.title}, ${formatLoad(load)}`;

/** "n 3", "n not stated". */
export const basisText = (n: number | null): string => (n === null ? 'n not stated' : `n ${n}`);

/** The definition of a value in words, if the registry has several. */
export function definitionWords({ metric, definition }: ReportFigure): string | null {
  if (definition === null) return null;
  const family = findMetric(metric)?.family ?? findFamily(metric);
  return family?.definitions.find(({ id }) => id === definition)?.title ?? null;
}

/** How a derived value was computed; null for a measured one. */
export function makingWords(figure: ReportFigure): string | null {
  if (!figure.derived) return null;
  // Other definitions describe measurements.
  const tells = /^from_|_basis$/.test(figure.definition ?? '');
  return (tells ? definitionWords(figure) : null) ?? 'computed here';
}

export const sourceOf = ({ links }: ReportFigure): string => localPath(links.results);

/** Workloads are compared by all of their fields, as in the report. */
export const scenarioKey = ({ id, input_tokens, output_tokens, dataset, depth }: ReportScenario): string =>
  JSON.stringify([id, input_tokens, output_tokens, dataset, depth]);
