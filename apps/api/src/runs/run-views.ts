import { cutShortOf } from '@inferboard/core/observed/cut-short';
import { seriesOf } from '@inferboard/core/observed/timeline';
import { formatLimit } from '@inferboard/core/plans/latency-limits';
import { type PlanPoint, requestsOfPoint } from '@inferboard/core/plans/point';
import { shapeName } from '@inferboard/core/workloads/shape-name';
import type { RunPointRow, RunProgress, RunRow } from '@inferboard/db/runs/run-find';
import { instant } from '../views.ts';
import { viewFacts } from './endpoint-view.ts';
import type { PlanRequest } from './read-run-request.ts';

const instantOrNull = (text: string | null) => (text === null ? null : instant(text));

export function viewProgress({ pointsDone, pointsTotal, requestsDone, requestsTotal, etaS }: RunProgress) {
  return {
    points_done: pointsDone,
    points_total: pointsTotal,
    requests_done: requestsDone,
    requests_total: requestsTotal,
    eta_s: etaS,
  };
}

/** The requested parameters, without the plan. */
export function viewPlanRequest({ find, repetitions, until, warmup, seed, slo, limits, workers = 1 }: PlanRequest) {
  const { duration_s, requests, tokens, concurrency, max_errors = null } = limits;
  return {
    ...{ find: find ?? null, repetitions, until: until ?? null, warmup, seed, slo: slo ?? null },
    // The database does not preserve the order of fields.
    limits: { duration_s, requests, tokens, concurrency, max_errors },
    workers,
  };
}

/** Who the response is for: not everyone who may read the run may read the endpoint's name. */
export type Reader = 'account' | 'everybody';

const viewRetry = (retry: RunRow['retry']) =>
  retry === null
    ? null
    : {
        message: retry.message,
        failed_at: instant(retry.failedAt),
        next_attempt_at: instantOrNull(retry.nextAt),
        ...{ attempts_failed: retry.attemptsFailed, attempts_max: retry.attemptsMax },
      };

function viewFields(row: RunRow, base: string, reader: Reader) {
  const { failureCode: code, failureMessage: message } = row;
  const self = `${base}/v1/runs/${row.id}`;
  return {
    id: row.id,
    state: row.state,
    endpoint: {
      id: row.endpointId,
      name: reader === 'account' ? row.endpointName : null,
      model: row.model,
      facts: reader === 'account' ? viewFacts(row.facts) : null,
    },
    progress: viewProgress(row),
    cut_short: cutShortOf(row.cuts),
    failure: code === null ? null : { code, message: message ?? '' },
    retry: viewRetry(row.retry),
    cancel_requested_at: instantOrNull(row.cancelAskedAt),
    attempt: row.attempt,
    schedule_id: row.scheduleId,
    submissions: row.submissionIds.map((id) => ({
      id,
      links: { self: `${base}/v1/submissions/${id}`, page: `${base}/submissions/${id}` },
    })),
    created_at: instant(row.createdAt),
    started_at: instantOrNull(row.startedAt),
    ended_at: instantOrNull(row.endedAt),
    links: {
      self,
      page: `${base}/runs/${row.id}`,
      events: `${self}/events`,
      endpoint: `${base}/v1/endpoints/${row.endpointId}`,
    },
  };
}

/** `readRunRequest` created the stored value. */
const requestOf = ({ request, seed }: RunRow): PlanRequest => ({ ...(request as unknown as PlanRequest), seed });

export function viewRunSummary(row: RunRow, base: string) {
  const { plan } = requestOf(row);
  return { ...viewFields(row, base, 'account'), plan: typeof plan === 'string' ? plan : null };
}

/** Earlier releases stored a shape without a name as "custom". */
const shapeOf = ({ id, inputTokens, outputTokens, depth }: PlanPoint['scenario']) =>
  id === 'custom' ? shapeName({ inputTokens, outputTokens }, { dataset: null, depth }) : id;

function viewPoint({ key, point, measuredAt, summary }: RunPointRow) {
  const { scenario, load, repetition }: PlanPoint = point;
  return {
    key,
    scenario: {
      id: shapeOf(scenario),
      input_tokens: scenario.inputTokens,
      output_tokens: scenario.outputTokens,
      dataset: scenario.dataset,
      depth: scenario.depth,
      kernel: scenario.kernel,
    },
    load: {
      mode: load.mode,
      level: load.level,
      burstiness: load.burstiness ?? null,
      max_concurrency: load.maxConcurrency ?? null,
    },
    repetition,
    requests: requestsOfPoint(point),
    measured_at: instantOrNull(measuredAt),
    summary,
  };
}

/** The figures of the current point; null if the run is not being measured. */
export const viewLive = ({ state, live }: Pick<RunRow, 'state' | 'live'>) => (state === 'running' ? live : null);

export const viewTimeline = (timeline: RunRow['timeline']) =>
  timeline === null
    ? null
    : {
        started_at: new Date(timeline.startedUnixMs).toISOString(),
        bin_s: timeline.binS,
        series: seriesOf(timeline),
      };

const viewCapacity = ({ search, capacity }: RunRow) =>
  search === null
    ? null
    : {
        ...{ mode: search.mode, limits: search.limits.map(formatLimit), from: search.first, to: search.highest },
        budget: {
          ...{ points: search.pointsMax, requests: search.budget.requests, tokens: search.budget.tokens },
          duration_s: search.budget.durationS,
        },
        found: capacity,
      };

/** A run with all its points. */
export function viewRun(row: RunRow, points: readonly RunPointRow[], base: string, reader: Reader) {
  const request = requestOf(row);
  return {
    ...viewFields(row, base, reader),
    plan: request.plan,
    request: viewPlanRequest(request),
    // The database does not preserve the order of fields.
    omitted: row.omitted.map(({ key, title = null, reason }) => ({ key, title, reason })),
    capacity: viewCapacity(row),
    live: viewLive(row),
    timeline: viewTimeline(row.timeline),
    points: points.map(viewPoint),
  };
}
