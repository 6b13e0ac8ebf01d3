import { formatFigure } from '@inferboard/core/format/figure';
import type { MetricName } from '@inferboard/core/metrics/index';
import { formatLoad } from '@inferboard/core/subjects/load';
import { shownModel } from '../points/model-name.ts';
import { type Chart, drawCharts, escapeHtml } from './charts.ts';
import { type Observed, observedCharts } from './observed.ts';
import { type RecordedPoint, titleOf, workloadText } from './recorded-point.ts';
import { reportStyle } from './style.ts';
import { inFlight, latencies, lengthOf, type Series, tokenRate } from './time-series.ts';

/** What a report shows in addition to its points. */
export interface ReportExtras {
  /** What limits the figures of a point, by its place. */
  notes: readonly (readonly string[])[];
  /** What applies to all points: what was skipped, and what a search or a comparison concludes. */
  remarks: readonly string[];
  /** What the server and the GPUs were seen to do. */
  observed: Observed;
}

type Unit = 'ms' | 'tok/s' | 'req/s' | 'W' | 'J/tok' | '';
type Column = readonly [
  title: string,
  unit: Unit,
  of: (point: RecordedPoint) => number | null | undefined,
  why?: MetricName,
];

const figureOf = (point: RecordedPoint, name: MetricName) =>
  point.figures.figures.find((figure) => figure.name === name)?.value;

/** A column of a figure as the service computes it. */
const metric = (title: string, unit: Unit, name: MetricName): Column => [
  title,
  unit,
  (point) => figureOf(point, name),
  name,
];

function joulesPerToken(point: RecordedPoint): number | null {
  const { power_w: power } = point.metrics;
  const rate = figureOf(point, 'output_tok_s');
  return power === undefined || !rate ? null : power / rate;
}

const columns: readonly Column[] = [
  metric('ok', '', 'requests_ok'),
  metric('failed', '', 'requests_failed'),
  metric('output', 'tok/s', 'output_tok_s'),
  metric('requests', 'req/s', 'req_s'),
  metric('TTFT p50', 'ms', 'ttft_ms_p50'),
  metric('TTFT p90', 'ms', 'ttft_ms_p90'),
  metric('TTFT p99', 'ms', 'ttft_ms_p99'),
  metric('ITL p50', 'ms', 'itl_ms_p50'),
  metric('ITL p99', 'ms', 'itl_ms_p99'),
  metric('TPOT mean', 'ms', 'tpot_ms_mean'),
  metric('E2E p50', 'ms', 'e2e_ms_p50'),
  metric('E2E p99', 'ms', 'e2e_ms_p99'),
  ['power', 'W', ({ metrics }) => metrics.power_w],
  ['energy', 'J/tok', joulesPerToken],
];

function cell(point: RecordedPoint, [, unit, of, name]: Column): string {
  const value = of(point);
  const figure = formatFigure(value, '');
  if (figure !== null) return `<td>${figure.number}</td>`;
  const certificate = name === undefined ? undefined : point.figures.certificates[name];
  const why = certificate === undefined ? 'not measured' : `needs ${certificate.floor} samples, has ${certificate.n}`;
  return `<td class="none" title="${escapeHtml(why)}">–<span class="hidden"> ${escapeHtml(`${why} ${unit}`)}</span></td>`;
}

function table(points: readonly RecordedPoint[]): string {
  const shown = columns.filter(([, , of]) => points.some((point) => of(point) != null));
  const head = shown.map(
    ([title, unit]) => `<th scope="col">${title}${unit === '' ? '' : `<small>${unit}</small>`}</th>`,
  );
  const rows = points.map(
    (point, place) =>
      `<tr><th scope="row"><a href="#point-${place + 1}">${escapeHtml(titleOf(point))}</a></th>${shown.map((column) => cell(point, column)).join('')}</tr>`,
  );
  return `<div class="scroll" tabindex="0" role="region" aria-label="Figures"><table><thead><tr><th scope="col">point</th>${head.join('')}</tr></thead><tbody>${rows.join('')}</tbody></table></div>`;
}

const factNames: Record<string, string> = {
  gpu: 'GPU',
  gpu_count: 'GPUs',
  gpu_power_limit_w: 'power limit in W',
};

function factText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([name, part]) => (name === 'name' || name === 'version' ? String(part) : `${name} ${part}`))
    .join(' ');
}

function facts(points: readonly RecordedPoint[], { observed }: ReportExtras): string {
  const [first] = points;
  if (first === undefined) return '';
  const times = points.flatMap(({ startedUnixMs }) => startedUnixMs ?? []);
  const items: [string, string][] = [
    ...Object.entries(first.system).map(([name, value]): [string, string] => [
      factNames[name] ?? name,
      name === 'model' ? shownModel(String(value)) : factText(value),
    ]),
    ...Object.entries(observed.facts),
    ['measured with', `${first.tool.name} ${first.tool.version}`],
    ...(times.length === 0 ? [] : [['started', new Date(Math.min(...times)).toISOString()] as [string, string]]),
  ];
  return `<dl>${items.map(([name, value]) => `<div><dt>${escapeHtml(name.replaceAll('_', ' '))}</dt><dd>${escapeHtml(value)}</dd></div>`).join('')}</dl>`;
}

/** Figures by the level of the load, of each workload with more than one level. */
function levelCharts(points: readonly RecordedPoint[]): string {
  const groups = Map.groupBy(points, ({ scenario, load }) => `${workloadText(scenario)}, ${load.mode}`);
  const charts: Chart[] = [...groups].flatMap(([name, group]) => {
    const levels = group.map(({ load }) => load.level ?? 0);
    if (new Set(levels).size < 2) return [];
    const series = (metricName: MetricName) =>
      group
        .flatMap((point) => {
          const value = figureOf(point, metricName);
          return value == null ? [] : [[point.load.level ?? 0, value] as const];
        })
        .sort(([a], [b]) => a - b);
    const meansOf = (values: Series): Series =>
      [...Map.groupBy(values, ([level]) => level)].map(([level, of]) => [
        level,
        of.reduce((sum, [, value]) => sum + value, 0) / of.length,
      ]);
    const repeated = group.some(({ repetition }) => repetition > 1) ? ', mean of the repetitions' : '';
    const isCount = group.every(({ load }) => load.mode !== 'rate');
    const shared = {
      xTitle: name.replace(/^.*, /, 'level of '),
      xMax: Math.max(...levels),
      ...(isCount && { counts: 'x' as const }),
    };
    const of = (title: string, metricName: MetricName) => {
      const single = series(metricName);
      const values = meansOf(single);
      const isRepeated = values.length < single.length;
      return { name: title, values, style: 'line' as const, ...(isRepeated && { single }) };
    };
    return [
      {
        ...{ ...shared, title: `Output by load: ${name}${repeated}`, unit: 'tok/s' },
        series: [of('output', 'output_tok_s')],
      },
      {
        ...{ ...shared, title: `Latency by load: ${name}${repeated}`, unit: 'ms' },
        series: [of('TTFT p50', 'ttft_ms_p50'), of('TTFT p99', 'ttft_ms_p99'), of('E2E p50', 'e2e_ms_p50')],
      },
    ];
  });
  return charts.length === 0 ? '' : `<section><h2>By load</h2>${drawCharts(charts)}</section>`;
}

const noteList = (notes: readonly string[]): string =>
  notes.length === 0 ? '' : `<ul class="notes">${notes.map((note) => `<li>${escapeHtml(note)}</li>`).join('')}</ul>`;

function pointSection(point: RecordedPoint, place: number, { notes, observed }: ReportExtras): string {
  const xMax = lengthOf(point);
  const time = { xTitle: 'seconds since the point started', xMax };
  const charts: Chart[] = [
    { ...time, title: 'Output', unit: 'tok/s', series: [{ name: 'output', values: tokenRate(point), style: 'line' }] },
    {
      ...time,
      title: 'Requests in flight',
      unit: '',
      counts: 'y',
      series: [{ name: 'in flight', values: inFlight(point), style: 'line' }],
    },
    {
      ...{ ...time, title: 'Time to first token of each request, by when it was sent', unit: 'ms' },
      series: [{ name: 'TTFT', values: latencies(point, 'ttftMs'), style: 'dots' }],
    },
    ...observedCharts(observed, point, xMax).map((chart) => ({ ...time, ...chart })),
  ];
  const own = [
    ...(point.isSimulated ? ['the server reports that its responses are simulated: no model was measured'] : []),
    ...(point.isPartial ? ['the point ended early: it is partial'] : []),
  ];
  const noted = notes[place] ?? [];
  const list = noteList(noted.length > 0 ? noted : own);
  return `<section id="point-${place + 1}"><h2>${escapeHtml(titleOf(point))}</h2>${list}${drawCharts(charts)}</section>`;
}

/** Points of a measurement as one HTML document, without scripts and without anything from elsewhere. */
export function htmlReport(points: readonly RecordedPoint[], extras: ReportExtras): string {
  const [first] = points;
  const title = `${shownModel(String(first?.system.model ?? 'Measurement'))}: ${points.length === 1 && first ? formatLoad(first.load) : `${points.length} points`}`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeHtml(title)}</title><style>${reportStyle}</style></head>
<body><main><h1>${escapeHtml(title)}</h1>${facts(points, extras)}
<section><h2>Figures</h2>${table(points)}<p class="small">A percentile is shown if there are enough samples for it: 5 for p50, 29 for p90, 299 for p99. Failed requests are excluded from latencies.</p>${noteList(extras.remarks)}</section>
${levelCharts(points)}${points.map((point, place) => pointSection(point, place, extras)).join('\n')}</main></body></html>
`;
}
