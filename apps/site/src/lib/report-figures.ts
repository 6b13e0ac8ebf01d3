import type { Report } from '@inferboard/api/client';
import { formatLoad } from '@inferboard/core/load';
import { findFamily, findMetric } from '@inferboard/core/metrics/index';
import { localPath } from './board-view.ts';
import { formatDigits } from './format.ts';

export type { Report } from '@inferboard/api/client';

type Peak = NonNullable<Report['peak']>;
type Burst = NonNullable<Report['burst']>;

export type ReportSeries = Peak['user_tok_s'][number];
/** A number of the report with what it was measured on. The client's own type has the null of the headline in it. */
export type ReportFigure = NonNullable<ReportSeries['values'][number]>;
export type ReportScenario = ReportFigure['scenario'];
export type ReportFinding = Report['findings'][number];
export type ReportRange = Report['ranges'][number];
export type SafeQueue = NonNullable<Burst['max_safe_queue'][number]>;

/** Figures without the nulls that only the headline has. */
export const figuresOf = ({ values }: ReportSeries): ReportFigure[] => values.filter((value) => value !== null);

/** How values of one metric are written wherever a report shows them. */
export interface Quantity {
  title: string;
  unit: string;
  /** "172.5 tok/s", "41 %". */
  text(value: number): string;
  /** The same without its unit, as an axis has it. */
  tick(value: number): string;
}

/** "9,774", "0.189": so many significant digits, none of them a padding zero. */
export function significant(value: number, digits: number): string {
  // Digits before the point are never rounded away.
  const whole = Math.trunc(Math.abs(value)) === 0 ? 0 : Math.floor(Math.log10(Math.abs(value))) + 1;
  return formatDigits(value, Math.max(digits, whole));
}

const shares: ReadonlySet<string> = new Set(['scaling_efficiency', 'roofline_share', 'mbu', 'mfu']);

/** Units, factor and digits of a metric; times are told in seconds where one of them is long. */
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

/** A figure's own text, in the unit that suits it alone. */
export const figureText = ({ metric, value }: Pick<ReportFigure, 'metric' | 'value'>): string =>
  quantityOf(metric, [value]).text(value);

/** "Chatbot, 32 concurrent" */
export const placeText = ({ scenario, load }: Pick<ReportFigure, 'scenario' | 'load'>): string =>
  `${scenario.title}, ${formatLoad(load)}`;

/** "n 3", "n not stated". */
export const basisText = (n: number | null): string => (n === null ? 'n not stated' : `n ${n}`);

/** The formula behind a figure in words, where the registry has several. */
export function definitionWords({ metric, definition }: ReportFigure): string | null {
  if (definition === null) return null;
  const family = findMetric(metric)?.family ?? findFamily(metric);
  return family?.definitions.find(({ id }) => id === definition)?.title ?? null;
}

/** How a figure was made that nobody measured; null for one that somebody did. */
export function makingWords(figure: ReportFigure): string | null {
  if (!figure.derived) return null;
  // Other formulas tell of measurements, which this is not.
  const tells = /^from_|_basis$/.test(figure.definition ?? '');
  return (tells ? definitionWords(figure) : null) ?? 'computed here';
}

export const sourceOf = ({ links }: ReportFigure): string => localPath(links.results);

/** Workloads are told apart by all of it; the same as the report does. */
export const scenarioKey = ({ id, input_tokens, output_tokens, dataset, depth }: ReportScenario): string =>
  JSON.stringify([id, input_tokens, output_tokens, dataset, depth]);
