import type { MetricName } from '@inferboard/core/metrics/index';
import { measuredByUs } from '@inferboard/core/subjects/measured-by';
import { unrankedStatuses } from '@inferboard/core/subjects/result';
import type { ResultRow, ReviewRow, SubmissionRow } from '@inferboard/db/boards/lists/row-types';
import type { WouldRank } from '@inferboard/db/boards/lists/would-rank-find';
import { viewResult } from '../result-views.ts';
import { type CountedResult, summarise } from '../short/count-results.ts';
import { viewSigned } from '../signing/signing-schema.ts';
import { instant, viewWorkload } from '../views.ts';

export function viewSubmissionSummary(row: SubmissionRow, base: string) {
  const self = `${base}/v1/submissions/${row.id}`;
  return {
    id: row.id,
    status: row.status,
    tool: { name: row.tool, version: row.tool_version },
    artifact: { sha256: row.artifact_sha256, bytes: row.artifact_size, media_type: row.artifact_media_type },
    account: { id: row.account_id, name: row.account_name },
    result_count: row.results,
    notes: row.notes,
    source_url: row.source_url,
    source: row.source,
    run_id: row.run_id,
    session_id: row.session,
    measured_by: row.run_id === null ? null : measuredByUs,
    signed: viewSigned(row.signed),
    retraction:
      row.retracted_at === null ? null : { at: instant(row.retracted_at), reason: row.retraction_reason ?? '' },
    created_at: instant(row.created_at),
    links: {
      self,
      page: `${base}/submissions/${row.id}`,
      artifact: `${self}/artifact`,
      read: `${base}/submit?submission=${row.id}#understood`,
    },
  };
}

/** Metrics for a result's headline, the most informative first. */
export const headlineMetrics: readonly MetricName[] = [
  'output_tok_s_per_gpu',
  'decode_tok_s',
  'prefill_tok_s',
  'user_tok_s',
  'ttft_ms_mean',
  'forward_ms',
  'wall_s',
];

function boardLink(result: ResultRow | undefined, base: string): string {
  const rankBy = headlineMetrics.find((name) => result?.[name] != null);
  if (result === undefined || rankBy === undefined) return `${base}/`;
  const { id, model_id: model, gpu_id: gpu } = result.system;
  // The page highlights the row in the URL's fragment. With filters for its model and GPU, the list fits on one page.
  const asked = new URLSearchParams({
    ...{ rank_by: rankBy, workload: viewWorkload(result, result.scenario).id },
    ...(model !== null && { model }),
    ...(gpu !== null && { gpu }),
    ...(result.status === 'provisional' && { include: 'provisional' }),
  });
  return `${base}/?${asked}#${id}`;
}

/** @param isWhole whether to include the ids of the reviewed results */
function viewReview({ decision, note, mapping, results, created_at, account_name }: ReviewRow, isWhole: boolean) {
  return { decision, note, mapping, results: isWhole ? results : null, at: instant(created_at), by: account_name };
}

/** A submission without its results; `first` of them determines the linked board. */
export function viewSubmissionAlone(
  row: SubmissionRow,
  first: ResultRow | undefined,
  base: string,
  { duplicate, isWhole }: { duplicate: boolean; isWhole: boolean },
) {
  const { links: own, ...summary } = viewSubmissionSummary(row, base);
  const pages = new URLSearchParams({ submission: row.id, include: unrankedStatuses.join() });
  const links = {
    ...own,
    leaderboard: boardLink(first, base),
    full: `${own.self}?full=true`,
    results: `${base}/v1/results?${pages}`,
  };
  return {
    ...summary,
    id: row.id as string | null,
    created_at: summary.created_at as string | null,
    duplicate,
    dry_run: false,
    parameters: row.parameters,
    ignored: row.ignored,
    reviews: row.reviews.map((review) => viewReview(review, isWhole)),
    links: links as typeof links | null,
  };
}

function viewWouldRank({ rank, of, metric, workload }: WouldRank) {
  return { rank, of, metric: metric.name as string, statistic: metric.statistic, workload };
}

/** Derived data of a submission, in addition to the stored row. */
interface Beside {
  duplicate?: boolean;
  /** Ranks that its provisional results would have. */
  wouldRank?: readonly WouldRank[];
}

/** A submission with all its results. */
export function viewSubmission(
  row: SubmissionRow,
  results: ResultRow[],
  base: string,
  { duplicate = false, wouldRank = [] }: Beside = {},
) {
  const ranks = new Map(wouldRank.map((one) => [one.resultId, viewWouldRank(one)]));
  const viewed = results.map((result) => ({ ...viewResult(result, base), would_rank: ranks.get(result.id) ?? null }));
  return {
    ...viewSubmissionAlone(row, results[0], base, { duplicate, isWhole: true }),
    summary: null as ReturnType<typeof summarise> | null,
    results: viewed as typeof viewed | null,
  };
}

export type SubmissionView = ReturnType<typeof viewSubmission>;

/** A submission with counts instead of its results. */
export function viewSubmissionShort(
  row: SubmissionRow,
  { first, results }: { first: ResultRow | undefined; results: readonly CountedResult[] },
  base: string,
  duplicate = false,
): SubmissionView {
  const alone = viewSubmissionAlone(row, first, base, { duplicate, isWhole: false });
  return { ...alone, summary: summarise(results), results: null };
}

/** A submission that was stored and rolled back, without ids, times and links, which do not exist. */
export function toDryRun({ results, summary, ...submission }: SubmissionView): SubmissionView {
  return {
    ...submission,
    ...{ id: null, created_at: null, dry_run: true, links: null },
    summary: summary && { ...summary, findings: summary.findings.map((kind) => ({ ...kind, result_id: null })) },
    results: results?.map((result) => ({ ...result, id: null, submission_id: null, created_at: null })) ?? null,
  };
}
