import { DomainError, type Fault } from '@inferboard/core/errors';
import { type AskedPlan, readPlan } from '@inferboard/core/plans/read-plan';
import { nearest } from '@inferboard/core/text/nearest';
import type { Queryable } from '@inferboard/db/connection/transaction';
import { type EndpointRow, findEndpoint } from '@inferboard/db/runs/endpoint';
import { isId } from '../http/is-id.ts';
import { faultsMax } from '../http/refuse.ts';
import type { FindRequest, PlanItem } from './plan-item.ts';

/** A requested plan in its JSON form, as stored; `readPlan` parses it again. */
export interface PlanRequest {
  plan: string | PlanItem[];
  /** Absent except with the plan `capacity`. */
  find?: FindRequest;
  repetitions: number | null;
  /** Absent in most requests. */
  until?: string;
  warmup: number | null;
  seed: number | null;
  /** Absent in requests of earlier releases. */
  slo?: string | null;
  limits: {
    duration_s: number | null;
    requests: number | null;
    tokens: number | null;
    concurrency: number | null;
    /** Absent in requests of earlier releases. */
    max_errors?: number | null;
  };
  /** Absent for one worker: earlier releases know no such field. */
  workers?: number;
}

export interface RunRequest {
  endpoint: EndpointRow;
  plan: AskedPlan;
  request: PlanRequest;
}

export const endpointUnknown = (): Fault => ({
  code: 'endpoint_unknown',
  pointer: '/endpoint_id',
  message: 'There is no endpoint with this id, or you may not measure it.',
  hint: 'GET /v1/endpoints lists your endpoints.',
});

/** Requests of several workers are not counted together for a server whose limits apply until control of it is proven. */
const workersUnproven = ({ id }: EndpointRow): Fault => ({
  code: 'plan_inconsistent',
  pointer: '/workers',
  message: '/workers must be 1 until control of the endpoint is proven.',
  hint: `Send POST /v1/endpoints/${id}/prove first, or omit workers.`,
});

function checkWorkers(endpoint: EndpointRow | Fault, plan: AskedPlan | Fault[]): Fault[] {
  if ('code' in endpoint || Array.isArray(plan) || plan.workers === 1 || endpoint.verifiedBy !== null) return [];
  return [workersUnproven(endpoint)];
}

/** Rejects a body with all its errors. */
export const invalidBody = (faults: Fault[]) =>
  new DomainError('request_invalid', 'The body is not valid.', faults.slice(0, faultsMax));

/**
 * Requires a JSON object.
 *
 * @throws DomainError `request_invalid`
 */
export function requireObject(value: unknown): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw invalidBody([{ code: 'value_invalid', pointer: '', message: 'The body must be an object.' }]);
}

async function readEndpoint(db: Queryable, id: unknown, reach: string | null): Promise<EndpointRow | Fault> {
  const fault = { code: 'value_invalid', pointer: '/endpoint_id' };
  if (id === undefined) return { ...fault, message: 'endpoint_id is missing' };
  if (typeof id !== 'string') return { ...fault, message: 'endpoint_id must be a string' };
  return (isId('ep', id) ? await findEndpoint(db, id, reach) : null) ?? endpointUnknown();
}

/** Treats null as missing. */
const said = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, inner: unknown) => (inner === null ? undefined : inner)));

function toRequest(body: Record<string, unknown>, asked: AskedPlan): PlanRequest {
  const { repetitions, warmup, seed, slo, errorsMax: max_errors, limits, workers } = asked;
  const { durationS: duration_s, ...others } = limits;
  // `readPlan` has just validated them.
  const plan = said(body.plan) as PlanRequest['plan'];
  const find = asked.find === undefined ? {} : { find: said(body.find) as FindRequest };
  const until = asked.until === undefined ? {} : { until: body.until as string };
  return {
    ...{ plan, ...find, repetitions, ...until, warmup, seed, slo },
    limits: { duration_s, ...others, max_errors },
    ...(workers > 1 && { workers }),
  };
}

function readPlanOf(body: Record<string, unknown>, ours: readonly string[]): AskedPlan | Fault[] {
  const rest = Object.fromEntries(Object.entries(body).filter(([name]) => !ours.includes(name)));
  try {
    return readPlan(rest);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return error.faults.map((fault) => {
      const meant = fault.code === 'field_unknown' ? nearest(fault.pointer?.slice(1) ?? '', ours) : null;
      return meant === null ? fault : { ...fault, hint: `Did you mean "${meant}"?` };
    });
  }
}

/**
 * The plan and the endpoint of a requested run.
 *
 * @param reach the account whose endpoints may be measured; null for all accounts
 * @param others other allowed fields of the body, and their errors
 * @throws DomainError `request_invalid` with all errors
 */
export async function readRunRequest(
  db: Queryable,
  reach: string | null,
  body: Record<string, unknown>,
  others: { names: readonly string[]; faults: readonly Fault[] } = { names: [], faults: [] },
): Promise<RunRequest> {
  const plan = readPlanOf(body, ['endpoint_id', ...others.names]);
  const endpoint = await readEndpoint(db, body.endpoint_id, reach);
  const faults = [
    ...('code' in endpoint ? [endpoint] : []),
    ...(Array.isArray(plan) ? plan : []),
    ...checkWorkers(endpoint, plan),
    ...others.faults,
  ];
  if ('code' in endpoint || Array.isArray(plan) || faults.length > 0) throw invalidBody(faults);
  return { endpoint, plan, request: toRequest(body, plan) };
}
