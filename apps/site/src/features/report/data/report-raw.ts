import { type Metric, metrics } from '@inferboard/core/metrics/index';
import { formatLoad, loadModesOrUnspecified } from '@inferboard/core/subjects/load';
import type { Result } from '../../../lib/api.ts';
import { columnUnit, formatTime, formatValue } from '../../../lib/format.ts';
import { headlineMetrics, presentMetrics } from '../../../lib/metric-text.ts';
import { trustWords } from '../../../lib/words.ts';
import { type PublishedSource, publishedSource } from '../../system/data/published-source.ts';
import { distinctSources } from '../../system/data/system-sources.ts';
import { scenarioTitle } from '../../system/data/system-view.ts';
import type { ReportFigure } from './report-figures.ts';

/** One stored repetition. */
export interface RawRow {
  id: string;
  scenario: string;
  load: string;
  repetition: string | null;
  values: (string | null)[];
  status: Result['status'];
  /** URL of its submission, at this result. */
  href: string;
  tool: string;
  trust: string;
  /** The publication; null if it was not imported. */
  source: PublishedSource | null;
}

export interface RawTable {
  columns: Metric[];
  rows: RawRow[];
}

/** The metrics of a single repetition in the table; a kernel has others. */
const wanted: ReadonlySet<string> = new Set([
  'ttft_ms_mean',
  'ttft_ms_p99',
  'itl_ms_mean',
  'tpot_ms_mean',
  'user_tok_s',
  'decode_tok_s',
  'output_tok_s',
  'prefill_tok_s',
  'requests_ok',
  'requests_failed',
]);
const columnsMax = 10;

const valuesOf = ({ metrics: measured, derived }: Result) => ({ ...derived, ...measured });

function byPoint(a: Result, b: Result): number {
  return (
    (a.scenario.input_tokens ?? 0) - (b.scenario.input_tokens ?? 0) ||
    a.scenario.id.localeCompare(b.scenario.id, 'en') ||
    loadModesOrUnspecified.indexOf(a.load.mode) - loadModesOrUnspecified.indexOf(b.load.mode) ||
    (a.load.level ?? 0) - (b.load.level ?? 0) ||
    (a.repetition ?? 0) - (b.repetition ?? 0)
  );
}

/** All repetitions as rows, by scenario and load. */
export function toRawTable(results: readonly Result[]): RawTable {
  const stored = results.filter(({ id }) => id !== null).toSorted(byPoint);
  const present = presentMetrics(stored.map(valuesOf));
  const main = present.filter(({ name }) => wanted.has(name));
  const columns = (main.length > 0 ? main : present.filter((metric) => headlineMetrics.includes(metric))).slice(
    0,
    columnsMax,
  );
  return {
    columns,
    rows: stored.map((result) => {
      const values = valuesOf(result);
      return {
        id: result.id ?? '',
        scenario: scenarioTitle(result.scenario),
        load: formatLoad(result.load),
        repetition: result.repetition === null ? null : String(result.repetition),
        values: columns.map(({ name, family }) => formatValue(values[name], columnUnit(family.unit))),
        status: result.status,
        href: `/submissions/${result.submission_id}#${result.id}`,
        tool: [result.tool.name, result.tool.version].filter((part) => part !== null).join(' '),
        trust: trustWords[result.trust].label,
        source: result.origin === 'imported' ? publishedSource(result.source) : null,
      };
    }),
  };
}

interface Place {
  scenario: {
    id: string;
    input_tokens: number | null;
    output_tokens: number | null;
    dataset: string | null;
    depth: number | null;
  };
  load: { mode: string; level: number | null };
}

const placeKey = ({ scenario, load }: Place): string =>
  JSON.stringify([
    scenario.id,
    scenario.input_tokens,
    scenario.output_tokens,
    scenario.dataset,
    scenario.depth,
    load.mode,
    load.level,
  ]);

const known: ReadonlySet<string> = new Set(metrics.map(({ name }) => name));

/** Looks up the single repetitions of a value. Uses only accepted results, as the report does. */
export function runsByFigure(results: readonly Result[]): (figure: ReportFigure) => number[] {
  const accepted = results.filter(
    ({ status, kind, copy_of }) => status === 'accepted' && kind === 'serving' && copy_of === null,
  );
  const byPlace = Map.groupBy(accepted, placeKey);
  return (figure) => {
    if (!known.has(figure.metric)) return [];
    return (byPlace.get(placeKey(figure)) ?? []).flatMap((result) => {
      const value = valuesOf(result)[figure.metric];
      const definition = result.definitions[figure.metric.replace(/_(mean|p\d+|min|max|sd)$/, '')] ?? null;
      if (value === null || value === undefined || definition !== figure.definition) return [];
      return [value];
    });
  };
}

/** The artifact of some of the results. */
export interface Source {
  href: string;
  artifactHref: string;
  id: string;
  tool: string;
  trust: string;
  sources: PublishedSource[];
  results: number;
  /** When its newest result was measured, or else stored. */
  time: { iso: string; text: string; isMeasured: boolean } | null;
}

/** The sources of the values, the newest first: one entry for each submission. */
export function toSources(results: readonly Result[]): Source[] {
  const bySubmission = Map.groupBy(results, ({ submission_id }) => submission_id ?? '');
  bySubmission.delete('');
  return [...bySubmission]
    .map(([id, list]): Source => {
      const measured = list
        .flatMap(({ measured_at }) => measured_at ?? [])
        .toSorted()
        .at(-1);
      const iso =
        measured ??
        list
          .flatMap(({ created_at }) => created_at ?? [])
          .toSorted()
          .at(-1);
      const tools = [
        ...new Set(list.map(({ tool }) => [tool.name, tool.version].filter((part) => part !== null).join(' '))),
      ];
      return {
        id,
        href: `/submissions/${id}`,
        artifactHref: `/v1/submissions/${id}/artifact`,
        tool: tools.join(', '),
        trust: [...new Set(list.map(({ trust }) => trustWords[trust].label))].join(', '),
        sources: distinctSources(list.filter(({ origin }) => origin === 'imported').map(({ source }) => source)),
        results: list.length,
        time: iso === undefined ? null : { iso, text: formatTime(iso), isMeasured: measured !== undefined },
      };
    })
    .toSorted((a, b) => (b.time?.iso ?? '').localeCompare(a.time?.iso ?? '', 'en'));
}
