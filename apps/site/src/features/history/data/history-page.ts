import type { Metric } from '@inferboard/core/metrics/index';
import { workloadTitle } from '@inferboard/core/workloads/workload-title';
import { inSentence, metricHeading } from '../../../lib/metric-text.ts';
import { toPath } from '../../../lib/parameters.ts';
import { gpuText, quantizationText, systemTitle } from '../../../lib/words.ts';
import type { Parameter } from '../../board/data/board-query.ts';
import { scenarioTitle } from '../../catalogue/data/catalogue-links.ts';
import { factName } from '../../catalogue/data/fact-name.ts';
import { engineName } from './history-lineages.ts';
import {
  changedHistory,
  changeLists,
  type HistoryQuery,
  historyApiPath,
  historyCsvPath,
  historyHref,
} from './history-query.ts';
import { type HistoryReading, pagesOf } from './history-read.ts';
import { type Judged, verdictWords } from './history-verdict.ts';
import { type HistoryBlock, toBlock } from './history-view.ts';

/** A filter's value in words. */
function valueTitle(name: string, value: string): string {
  if (name === 'workload') return workloadTitle(value);
  return name === 'scenario' ? scenarioTitle(value) : factName(name, value);
}

/** The newest value of a line and the one it is compared with. */
export interface VerdictRow {
  /** Of the block with its chart. */
  id: string;
  title: string;
  line: string;
  judged: Judged;
}

export interface HistoryPage {
  title: string;
  /** "Qwen3 8B": the subject in the title, linked in the heading; null for all results. */
  subject: { name: string; quantization: string | null; hardware: string; engine: string; href: string } | null;
  lede: string;
  blocks: HistoryBlock[];
  /** "Regression: 1, stable: 2.": the verdicts of this page, worst first. */
  verdicts: string | null;
  /** Comparisons with a verdict, and those with too little data for one. */
  compared: { judged: VerdictRow[]; undecided: VerdictRow[] };
  /** The only measured version, or that none was stated; null if there are several. */
  lone: string | null;
  pages: { number: number; href: string; isCurrent: boolean }[];
  json: string;
  csv: string | null;
  runsHref: string | null;
  feedHref: string;
  changeLists: { label: string; href: string; isCurrent: boolean }[];
  /** URL of all configurations with the same filters; null on that page. */
  allHref: string | null;
}

const verdictOrder = ['Regression', 'Improvement', 'Stable', 'Not enough data'];

function countVerdicts(blocks: readonly HistoryBlock[]): string | null {
  const labels = blocks.flatMap(({ verdicts }) => verdicts.flatMap(({ judged }) => judged.verdict?.label ?? []));
  const counts = verdictOrder.flatMap((label) => {
    const count = labels.filter((one) => one === label).length;
    return count === 0 ? [] : [`${label.toLowerCase()}: ${count}`];
  });
  const text = counts.join(', ');
  return text === '' ? null : `${text[0]?.toUpperCase()}${text.slice(1)}.`;
}

/** Lines with a single value are left out: they are compared with nothing. */
function comparedOf(blocks: readonly HistoryBlock[]): HistoryPage['compared'] {
  const rows = blocks.flatMap(({ id, title, verdicts }) => verdicts.map((verdict) => ({ id, title, ...verdict })));
  const isUndecided = ({ judged }: VerdictRow) => judged.verdict?.label === verdictWords.insufficient_data.label;
  return {
    judged: rows.filter((row) => row.judged.before !== null && !isUndecided(row)),
    undecided: rows.filter(isUndecided),
  };
}

const stepWords = {
  version: 'by engine version, in version order',
  month: 'by month, each version separately',
  result: 'result by result',
} as const;

function subjectOf({ history }: HistoryReading): HistoryPage['subject'] {
  if (history === null) return null;
  const { system } = history;
  return {
    name: systemTitle(system),
    quantization: quantizationText(system),
    hardware: gpuText(system),
    engine: engineName(system),
    href: `/systems/${system.id}`,
  };
}

function ledeOf(
  subject: HistoryPage['subject'],
  metric: Metric | null,
  { by }: HistoryReading,
  { filters }: HistoryQuery,
): string {
  const title = metric === null ? 'A metric' : metricHeading(metric);
  if (subject !== null)
    return `${title} ${stepWords[by]}. The systems of one history differ only in that version. Bars are 95 % intervals, dots are single results.`;
  return filters.length === 0
    ? `How results changed between engine versions: what improved, what regressed, and whether the change exceeds the scatter.`
    : `${title} of every configuration that was measured on several versions of its engine, over time.`;
}

function apiPathOf(reading: HistoryReading, { filters }: HistoryQuery): string {
  if (reading.question !== null) return historyApiPath(reading.question);
  const metric: Parameter[] = reading.metric === null ? [] : [['metric', reading.metric.name]];
  return toPath('/v1/changes', [...metric, ...filters]);
}

/** All data of the history page. */
export function toHistoryPage(query: HistoryQuery, reading: HistoryReading): HistoryPage {
  const { history, metric, by, places, question } = reading;
  const subject = subjectOf(reading);
  const versions = history?.versions ?? [];
  const opening = reading.opening?.history ?? null;
  const drawing = {
    by,
    versions: opening?.versions ?? versions,
    engine: opening === null ? (subject?.engine ?? '') : engineName(opening.system),
  };
  const named = places.map((place) => ({
    ...place,
    lines: place.lines.map((line) => (line.name === '' ? { ...line, name: drawing.engine } : line)),
  }));
  const blocks =
    metric === null ? [] : named.map((place, at) => toBlock(place, at, query.baseline, { ...drawing, metric }));
  if (subject === null && opening === null)
    for (const [at, { lines }] of named.entries()) {
      const [block, [only, another]] = [blocks[at], lines];
      // A single line has no legend.
      if (block !== undefined && only !== undefined && another === undefined)
        block.detail = [only.name, block.detail].filter((part) => part !== '').join(' · ');
    }
  const about =
    subject === null
      ? query.filters.map(([name, value]) => valueTitle(name, value)).join(', ')
      : [subject.name, subject.quantization].filter((part) => part !== null).join(' ');
  const feed: Parameter[] = versions.slice(-50).map(({ system_id: id }) => ['system', id]);
  const [only] = versions;
  return {
    title: about === '' ? 'History' : `History: ${about}${metric === null ? '' : `, ${inSentence(metric.title)}`}`,
    subject,
    lede: ledeOf(subject, metric, reading, query),
    blocks,
    verdicts: countVerdicts(blocks),
    compared: comparedOf(blocks),
    lone: versions.length === 1 ? (only?.engine_version ?? 'its version was not stated') : null,
    pages: Array.from({ length: pagesOf(reading) }, (_, at) => ({
      number: at + 1,
      href: historyHref({ ...query, page: at + 1 }),
      isCurrent: at + 1 === query.page,
    })),
    json: apiPathOf(reading, query),
    csv: question === null ? null : historyCsvPath(question),
    runsHref: question === null ? null : historyApiPath({ ...question, by: 'result' }),
    feedHref: toPath('/feed.xml', [
      ...(metric === null ? [] : [['metric', metric.name] as const]),
      ...feed,
      ...query.filters,
    ]),
    changeLists: changeLists.map(({ id, label }) => ({
      label,
      href: `${historyHref({ ...query, changes: id })}#changes`,
      isCurrent: id === query.changes,
    })),
    allHref:
      query.system === null
        ? null
        : historyHref(
            changedHistory(query, { system: null, metric: null, by: null, baseline: 'previous', changes: 'all' }),
          ),
  };
}
