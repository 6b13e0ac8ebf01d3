import { formatFigure } from '@inferboard/core/format/figure';
import { supportedPercentiles } from '@inferboard/core/statistics/supported-percentiles';
import { fitParts, fromLeft, type Part } from './fit-parts.ts';
import type { PointFigures } from './point-figures.ts';
import type { RunningDistribution } from './running-distribution.ts';

/** The progress of a measurement. */
export interface ViewState {
  /** From 1, and how many there are. */
  place: number;
  points: number | null;
  /** "chatbot, 4 concurrent". */
  title: string;
  /** Of the point. */
  requests: number;
  figures: PointFigures;
  /** Requests of all points that are over, and of the whole plan. */
  requestsBefore: number;
  requestsTotal: number;
  /** Time in which requests were measured, over all points, and the requests that ended in it. */
  measured: { ms: number; ended: number };
}

const milliseconds = (value: number) => {
  const figure = formatFigure(value, 'ms');
  return figure === null ? '-' : `${figure.number} ${figure.unit}`;
};
const rate = (value: number) => formatFigure(Number(value.toPrecision(4)), '')?.number ?? '-';

/** "TTFT p50 20.1 ms, p90 25 ms": the percentiles that the samples support. */
function percentilesText(name: string, values: RunningDistribution): string | null {
  const shown = supportedPercentiles(values.n);
  if (shown.length === 0) return null;
  return `${name} ${shown.map((p) => `p${p} ${milliseconds(values.percentile(p))}`).join(', ')}`;
}

function duration(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  return minutes < 60 ? `${minutes} min ${whole % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const shareOf = ({ figures: { counts }, requestsBefore, requestsTotal }: ViewState) =>
  requestsTotal === 0 ? 1 : Math.min(1, (requestsBefore + counts.done + counts.failed) / requestsTotal);

/** Before this, and before as many requests ended as are in flight, the pace is not known. */
const paceMs = 1000;

function leftText(state: ViewState): string | null {
  const { requestsBefore, requestsTotal, figures, measured } = state;
  const { done, failed, in_flight } = figures.counts;
  const left = requestsTotal - requestsBefore - done - failed;
  if (left <= 0 || measured.ms < paceMs || measured.ended < Math.max(1, in_flight)) return null;
  return `${duration((left * measured.ms) / measured.ended / 1000)} left`;
}

function countsText({ figures: { counts }, requests }: ViewState): string {
  const failed = counts.failed > 0 ? `, ${counts.failed} failed` : '';
  return `${counts.done + counts.failed} of ${requests} requests, ${counts.in_flight} in flight${failed}`;
}

/** "2 http 500, 1 timeout"; null without failures. */
function errorsText({ figures: { errors } }: ViewState): string | null {
  if (errors.size === 0) return null;
  return [...errors]
    .toSorted(([, a], [, b]) => b - a)
    .map(([kind, count]) => `${count} ${kind.replaceAll('_', ' ')}`)
    .join(', ');
}

const ratesText = ({ figures: { rates } }: ViewState) =>
  rates === null ? null : `${rate(rates.tokens)} tok/s, ${rate(rates.requests)} req/s`;

const percentileTexts = ({ figures: { ttft, itl, e2e } }: ViewState) => [
  percentilesText('TTFT', ttft),
  percentilesText('ITL', itl),
  percentilesText('E2E', e2e),
];

const isText = (text: string | null): text is string => text !== null;

/** Paints a text; none without colours. */
export type Paint = (color: 'red' | 'green' | 'dim', text: string) => string;

const codes = { red: 31, green: 32, dim: 2 };
/** Colours of terminals, or none. */
export const painter =
  (hasColors: boolean): Paint =>
  (color, text) =>
    hasColors ? `\x1b[${codes[color]}m${text}\x1b[0m` : text;

const barWidth = 24;

function barOf(state: ViewState, paint: Paint): string {
  const filled = Math.round(barWidth * shareOf(state));
  return `[${paint('green', '#'.repeat(filled))}${paint('dim', '.'.repeat(barWidth - filled))}]`;
}

/** Progress, and then what is the most useful. The bar repeats the counts, so it is omitted first. */
function progressLine(state: ViewState, paint: Paint, width: number): string | null {
  const { counts } = state.figures;
  const left = leftText(state);
  const parts: Part[] = [
    { text: `${counts.done + counts.failed} of ${state.requests} requests` },
    { text: `${counts.in_flight} in flight`, keep: 1 },
    ...(counts.failed > 0 ? [{ text: paint('red', `${counts.failed} failed`), keep: 3 }] : []),
    ...(left === null ? [] : [{ text: left, keep: 2 }]),
  ];
  const all = `${barOf(state, paint)} ${parts.map(({ text }) => text).join(', ')}`;
  return fitParts([{ text: all }], '', width) ?? fitParts(parts, ', ', width);
}

/** The name of the point. It is cut if even its first part is too long. */
function titleLine({ place, points, title }: ViewState, width: number): string {
  const whole = `Point ${place}${points === null ? '' : ` of ${points}`}: ${title}`;
  return fitParts(fromLeft(whole.split(', ')), ', ', width) ?? whole.slice(0, width);
}

const indent = '  ';

/** The lines of a terminal that is `width` wide. */
export function formatView(state: ViewState, paint: Paint, width: number): string[] {
  const figures = [ratesText(state), ...percentileTexts(state)].filter(isText);
  const errors = errorsText(state);
  const fitted = (text: string) => fitParts(fromLeft(text.split(', ')), ', ', width - indent.length);
  const failed = errors === null ? null : fitted(`failed: ${errors}`);
  const details = [...figures.map(fitted), failed === null ? null : paint('red', failed)].filter(isText);
  return [titleLine(state, width), progressLine(state, paint, width), ...details.map((line) => indent + line)].filter(
    isText,
  );
}

/** The same in one line, for a log. */
export function formatPlain(state: ViewState): string {
  const errors = errorsText(state);
  const parts = [
    `${countsText(state)}${errors === null ? '' : ` (${errors})`}`,
    ratesText(state),
    ...percentileTexts(state).filter(isText).slice(0, 2),
    leftText(state),
  ];
  return `[${[state.place, state.points].filter((part) => part !== null).join('/')}] ${state.title}: ${parts.filter(isText).join('; ')}`;
}
