import { DomainError, type Fault } from '@inferboard/core/errors';
import { nearest } from '@inferboard/core/nearest';
import { type AskedPlan, readPlan } from '@inferboard/core/plans/read-plan';
import { type EndpointRow, findEndpoint } from '@inferboard/db/queries/endpoint';
import type { Queryable } from '@inferboard/db/transaction';
import { isId } from '../is-id.ts';
import { faultsMax } from '../refuse.ts';
import type { PlanItem } from './plan-item.ts';

/** A plan as it was asked for, in the words of JSON: what is stored, and `readPlan` reads again. */
export interface PlanRequest {
  plan: string | PlanItem[];
  repetitions: number | null;
  warmup: number | null;
  seed: number | null;
  limits: {
    duration_s: number | null;
    requests: number | null;
    tokens: number | null;
    concurrency: number | null;
  };
}

export interface AskedRun {
  endpoint: EndpointRow;
  plan: AskedPlan;
  request: PlanRequest;
}

export const endpointUnknown = (): Fault => ({
  code: 'endpoint_unknown',
  pointer: '/endpoint_id',
  message: 'There is no endpoint of this id that you may have measured.',
  hint: 'GET /v1/endpoints lists yours.',
});

/** Refuses a body with all that is wrong with it. */
export const invalidBody = (faults: Fault[]) =>
  new DomainError('request_invalid', 'The body is not valid.', faults.slice(0, faultsMax));

/** A body that is an object. @throws DomainError `request_invalid` */
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

/** What is null was not said. */
const said = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, inner: unknown) => (inner === null ? undefined : inner)));

function toRequest(written: unknown, { repetitions, warmup, seed, limits }: AskedPlan): PlanRequest {
  const { durationS: duration_s, ...others } = limits;
  // As `readPlan` has just found it to be.
  return { plan: said(written) as PlanRequest['plan'], repetitions, warmup, seed, limits: { duration_s, ...others } };
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
 * What someone wants measured, and where.
 *
 * @param reach whose endpoints may be measured; null for anybody's
 * @param others fields that the body may have beside those of a run, and what is wrong with them
 * @throws DomainError `request_invalid` with every fault
 */
export async function readAskedRun(
  db: Queryable,
  reach: string | null,
  body: Record<string, unknown>,
  others: { names: readonly string[]; faults: readonly Fault[] } = { names: [], faults: [] },
): Promise<AskedRun> {
  const plan = readPlanOf(body, ['endpoint_id', ...others.names]);
  const endpoint = await readEndpoint(db, body.endpoint_id, reach);
  const faults = [...('code' in endpoint ? [endpoint] : []), ...(Array.isArray(plan) ? plan : []), ...others.faults];
  if ('code' in endpoint || Array.isArray(plan) || faults.length > 0) throw invalidBody(faults);
  return { endpoint, plan, request: toRequest(body.plan, plan) };
}
