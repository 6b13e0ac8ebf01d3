import { createHash, randomInt } from 'node:crypto';
import { DomainError } from '@inferboard/core/errors';
import { type ExpandedPlan, expandPlan, isPlanEmpty } from '@inferboard/core/plans/expand';
import type { Omission, PlanLimits } from '@inferboard/core/plans/scale';
import { type Transaction, transact } from '@inferboard/db/connection/transaction';
import type { EndpointRow } from '@inferboard/db/runs/endpoint';
import { limitsOf, readDay } from '@inferboard/db/runs/endpoint-budget';
import { insertRun } from '@inferboard/db/runs/run-create';
import { countOpenRuns, findRun, listRunPoints } from '@inferboard/db/runs/run-find';
import { originOf } from '@inferboard/db/runs/target-budget';
import type { RequestName } from '@inferboard/db/service/idempotency';
import type { Deps } from '../deps.ts';
import { type Answer, storeAnswerFor } from '../submissions/actions/answer-once.ts';
import { jsonLine } from '../submissions/json-line.ts';
import { endpointUnknown, invalidBody, type RunRequest } from './read-run-request.ts';
import { viewRun } from './run-views.ts';

/** Maximum number of unfinished runs per account. */
export const openRunsMax = 20;

/** Upper bound of random seeds, to keep them readable. */
const seedsMax = 2 ** 31;

/** Sorts keys, so that equal JSON values give equal text. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, inner]) => [name, canonical(inner)]));
}

/** The fingerprint of a body, to compare requests with the same idempotency key. */
export const fingerprintOfBody = (body: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(canonical(body)))
    .digest('hex');

interface Narrowed {
  asked: PlanLimits;
  applied: PlanLimits;
  endpoint: EndpointRow;
}

const tomorrow = 'Daily limits of an endpoint reset at 00:00 UTC.';

/** The reasons for dropped points, with hints. */
const omissionTexts: Record<Omission, (narrowed: Narrowed) => { why: string; hint: string }> = {
  above_concurrency: ({ asked, applied, endpoint }) => ({
    why: `more than ${applied.concurrency} requests at a time`,
    hint:
      asked.concurrency === applied.concurrency
        ? 'Raise limits.concurrency, or request lower loads.'
        : `Prove control of the endpoint first (POST /v1/endpoints/${endpoint.id}/prove), or request lower loads.`,
  }),
  above_requests: ({ asked, applied, endpoint }) => ({
    why: `more than the ${applied.requests} requests that are left`,
    hint:
      asked.requests === applied.requests
        ? 'Raise limits.requests.'
        : `${tomorrow}${endpoint.verifiedBy === null ? ` Until control is proven, all endpoints at ${originOf(endpoint.baseUrl)} share these limits.` : ''}`,
  }),
  above_tokens: ({ asked, applied }) => ({
    why: `more than the ${applied.tokens} tokens that are left`,
    hint: asked.tokens === applied.tokens ? 'Raise limits.tokens.' : tomorrow,
  }),
};

function planEmpty({ omitted }: ExpandedPlan, narrowed: Narrowed): DomainError {
  const faults = [...new Set(omitted.map(({ reason }) => reason))].map((reason) => {
    const points = omitted.filter((point) => point.reason === reason).length;
    const { why, hint } = omissionTexts[reason](narrowed);
    const message = `${points === 1 ? 'One point needs' : `${points} points need`} ${why}.`;
    return { code: reason, pointer: '/plan', message, hint };
  });
  const whys = faults.map(({ message, hint }) => `${message} ${hint}`).join(' ');
  return new DomainError('plan_empty', `No point of the plan can be measured now. ${whys}`, faults);
}

/**
 * The points of a plan that may be requested from its endpoint now.
 *
 * @throws DomainError `plan_empty`
 */
async function expandFor(tx: Transaction, { endpoint, plan }: RunRequest, seed: number): Promise<ExpandedPlan> {
  const applied = limitsOf(endpoint, await readDay(tx, endpoint), plan.limits);
  const expanded = expandPlan({ ...plan, seed, limits: applied });
  if (isPlanEmpty(expanded)) throw planEmpty(expanded, { asked: plan.limits, applied, endpoint });
  return expanded;
}

/**
 * Queues a run. With an idempotency key, stores the response too.
 *
 * @throws DomainError `runs_too_many`, `plan_empty`, `request_invalid`
 */
export async function createRun(
  deps: Deps,
  accountId: string,
  asked: RunRequest,
  request: RequestName | null,
): Promise<Answer> {
  const { endpoint, plan } = asked;
  return transact(deps.database.db, async (tx) => {
    if ((await countOpenRuns(tx, accountId)) >= openRunsMax) {
      const detail = `The account has ${openRunsMax} unfinished runs. Wait for one, or cancel one.`;
      throw new DomainError('runs_too_many', detail);
    }
    const seed = plan.seed ?? randomInt(seedsMax);
    const expanded = await expandFor(tx, asked, seed);
    const run = { accountId, endpointId: endpoint.id, scheduleId: null, request: { ...asked.request }, seed, expanded };
    const id = await insertRun(tx, run);
    if (id === null) throw invalidBody([endpointUnknown()]);
    const row = await findRun(tx, id);
    if (row === null) throw new Error(`run ${id} does not exist`);
    const view = viewRun(row, await listRunPoints(tx, id), deps.publicUrl, 'account');
    const answer: Answer = { status: 201, location: view.links.self, body: jsonLine(view) };
    if (request !== null) await storeAnswerFor(request)(tx, answer);
    return answer;
  });
}
