import type { PlanPoint } from '@inferboard/core/plans/point';
import { shapeName } from '@inferboard/core/workloads/shape-name';
import type { RunPointRow, RunProgress, RunRow } from '@inferboard/db/queries/run-find';
import type { PlanRequest } from './actions/read-asked-run.ts';
import { instant } from './views.ts';

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

/** What was asked for, but for its plan. */
export function viewPlanRequest({ repetitions, warmup, seed, limits }: PlanRequest) {
  const { duration_s, requests, tokens, concurrency } = limits;
  // The database keeps fields in an order of its own.
  return { repetitions, warmup, seed, limits: { duration_s, requests, tokens, concurrency } };
}

/** Whom an answer is for: whoever may read the run may not read what its endpoint is called. */
export type Reader = 'account' | 'everybody';

function viewFields(row: RunRow, base: string, reader: Reader) {
  const { failureCode: code, failureMessage: message } = row;
  const self = `${base}/v1/runs/${row.id}`;
  return {
    id: row.id,
    state: row.state,
    endpoint: { id: row.endpointId, name: reader === 'account' ? row.endpointName : null, model: row.model },
    progress: viewProgress(row),
    failure: code === null ? null : { code, message: message ?? '' },
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

/** What was stored is what `readAskedRun` made. */
const requestOf = ({ request, seed }: RunRow): PlanRequest => ({ ...(request as unknown as PlanRequest), seed });

export function viewRunSummary(row: RunRow, base: string) {
  const { plan } = requestOf(row);
  return { ...viewFields(row, base, 'account'), plan: typeof plan === 'string' ? plan : null };
}

/** Plans of the releases before this one called a shape without a name "custom". */
const shapeOf = ({ id, inputTokens, outputTokens, depth }: PlanPoint['scenario']) =>
  id === 'custom' ? shapeName({ inputTokens, outputTokens }, { dataset: null, depth }) : id;

function viewPoint({ key, point, measuredAt, summary }: RunPointRow) {
  const { scenario, load, repetition, requests }: PlanPoint = point;
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
    requests,
    measured_at: instantOrNull(measuredAt),
    summary,
  };
}

/** A run with all that it measures. */
export function viewRun(row: RunRow, points: readonly RunPointRow[], base: string, reader: Reader) {
  const request = requestOf(row);
  return {
    ...viewFields(row, base, reader),
    plan: request.plan,
    request: viewPlanRequest(request),
    omitted: row.omitted,
    points: points.map(viewPoint),
  };
}
