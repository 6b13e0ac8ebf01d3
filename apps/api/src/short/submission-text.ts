import { formatWithUnit } from '@inferboard/core/format/figure';
import { findMetric, type Metric, type MetricName, metricNames } from '@inferboard/core/metrics/index';
import { isNotReplaced } from '@inferboard/core/submission/merge';
import { toOutcome } from '@inferboard/core/submission/outcome';
import { formatOrdinal } from '@inferboard/core/text/ordinal';
import type { Problem } from '../http/errors.ts';
import { headlineMetrics, type SubmissionView } from '../submissions/submission-views.ts';
import { countFindings } from './count-results.ts';
import { workloadText } from './workload-text.ts';

type ViewedResult = NonNullable<SubmissionView['results']>[number];

/** Maximum number of metrics and of findings per line. */
const [figuresMax, findingsMax] = [4, 3];

const plural = (count: number, one: string) => `${count} ${one}${count === 1 ? '' : 's'}`;
/** Collapses whitespace, so that the text fits on one line. */
const inLine = (text: string) => text.replace(/\s+/g, ' ').trim();
const toLines = (rows: readonly (readonly [name: string, text: string])[]) =>
  rows.map(([name, text]) => `${`${name}:`.padEnd(12)}${inLine(text)}\n`).join('');

function recognised({ tool, result_count, summary, results }: SubmissionView): string {
  const read = `${[tool.name, tool.version].filter((part) => part !== null).join(' ')}, ${plural(result_count, 'result')}`;
  const labels = new Set(results?.map(({ system }) => system.label));
  const [label] = labels;
  if (labels.size !== 1) return `${read} of ${plural(summary?.systems ?? labels.size, 'system')}`;
  const [first] = results ?? [];
  const where = result_count === 1 && first !== undefined ? `, ${workloadText(first.workload.id, first.load)}` : '';
  return `${read}: ${label}${where}`;
}

const figureOf = (result: ViewedResult, name: MetricName) => result.metrics[name] ?? result.derived[name] ?? null;

/** The best value of a metric among results. */
function bestOf(results: readonly ViewedResult[], { name, family }: Metric): number | null {
  const values = results.flatMap((result) => figureOf(result, name) ?? []);
  if (values.length === 0) return null;
  return family.direction === 'lower' ? Math.min(...values) : Math.max(...values);
}

function figures({ results, links }: SubmissionView): string {
  if (results === null) return `too many for one line${links === null ? '' : `; ${links.results} lists them`}`;
  const figuresOf = (names: readonly MetricName[]) =>
    names.flatMap((name) => {
      const metric = findMetric(name);
      const value = metric === null || metric.statistic === 'sd' ? null : bestOf(results, metric);
      return metric === null || value === null ? [] : [`${name} ${formatWithUnit(value, metric.family.unit)}`];
    });
  const headlines = figuresOf(headlineMetrics);
  const found = headlines.length > 0 ? headlines : figuresOf(metricNames);
  const shown = found.slice(0, figuresMax).join(', ');
  if (shown === '') return 'none';
  return results.length > 1 ? `at best ${shown}` : shown;
}

function findings({ results, summary }: SubmissionView): string {
  const kinds = summary?.findings ?? countFindings(results ?? []);
  if (kinds.length === 0) return 'none';
  // What the command stated in vain comes first, because its author reads this.
  const sorted = [...kinds.filter(isNotReplaced), ...kinds.filter((kind) => !isNotReplaced(kind))];
  const lines = sorted.slice(0, findingsMax).map(({ severity, message }) => `${severity}: ${message}`);
  const left = kinds.length - lines.length;
  return [...lines, ...(left > 0 ? [`and ${left} more`] : [])].join(' ');
}

const shareOf = ([status, count]: [string, number]) => `${count} ${status.replaceAll('_', ' ')}`;

function rank({ results, summary, status }: SubmissionView): string {
  if (status === 'retracted') return 'none. The submission was retracted.';
  if (results === null)
    return Object.entries(summary?.statuses ?? {})
      .map(shareOf)
      .join(', ');
  const outcome = toOutcome(results);
  const ranks = results.flatMap((result) => (result.would_rank === null ? [] : [{ ...result.would_rank, result }]));
  const best = ranks.toSorted((a, b) => a.rank - b.rank)[0];
  const verdict = `${outcome.title}. ${outcome.text}`;
  if (best === undefined) return verdict;
  const verb = best.result.status === 'provisional' ? 'would be ' : '';
  const place = `${verb}${formatOrdinal(best.rank)} of ${best.of} by ${best.metric} (${best.workload})`;
  return `${place}. ${verdict}`;
}

function link({ links, duplicate, signed }: SubmissionView): string {
  if (links === null) return 'none. This was a dry run, and nothing was stored.';
  const about = [...(signed === null ? [] : ['signed']), ...(duplicate ? ['already submitted'] : [])];
  return `${links.page}${about.length === 0 ? '' : ` (${about.join(', ')})`}`;
}

/**
 * A submission as five lines of text: detected system, headline metrics, findings, rank, link. `would_rank` of the results gives
 * their ranks.
 */
export function textOfSubmission(submission: SubmissionView): string {
  return toLines([
    ['Recognised', recognised(submission)],
    ['Figures', figures(submission)],
    ['Findings', findings(submission)],
    ['Rank', rank(submission)],
    ['Link', link(submission)],
  ]);
}

/** A refusal as text: the problem, and a line for each error with its fix. */
export function textOfProblem({ title, detail, errors = [], links }: Problem): string {
  const faults = errors.map(({ parameter, message, hint = '' }) => {
    const place = parameter === undefined || message.includes(parameter) ? '' : `${parameter}: `;
    return `  - ${inLine(`${place}${message} ${hint}`)}\n`;
  });
  const page = links === undefined ? '' : `See its lines: ${links.read}\nNative format: ${links.native}\n`;
  return `Error: ${inLine(`${title}. ${detail}`)}\n${faults.join('')}${page}`;
}
