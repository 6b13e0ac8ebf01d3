import { randomInt } from 'node:crypto';
import { DomainError } from '@inferboard/core/errors';
import { type ExpandedPlan, expandPlan, isPlanEmpty } from '@inferboard/core/plans/expand';
import { type AskedPlan, readPlan } from '@inferboard/core/plans/read-plan';
import { type Transaction, transact } from '@inferboard/db/connection/transaction';
import { type EndpointRow, findEndpoint } from '@inferboard/db/runs/endpoint';
import { limitsOf, readDay } from '@inferboard/db/runs/endpoint-budget';
import { insertRun } from '@inferboard/db/runs/run-create';
import { type DueSchedule, hasOpenRun, moveSchedule, takeDueSchedule } from '@inferboard/db/runs/schedule-due';
import type { WorkerDeps } from '../deps.ts';
import { nextTime } from './next-time.ts';

/** The outcome of a due schedule. */
type Fired =
  | { kind: 'run'; runId: string }
  /** Skipped this time. */
  | { kind: 'skipped'; why: string }
  /** Has no further times. */
  | { kind: 'ended'; why: string };

/** Maximum random seed, for readable seeds. */
const seedsMax = 2 ** 31;

/** A stored plan, validated by the current rules; null if it is no longer valid. */
function readStored(request: unknown): AskedPlan | null {
  try {
    return readPlan(request);
  } catch (error) {
    if (error instanceof DomainError) return null;
    throw error;
  }
}

/** Null if the stored expression is invalid or has no further times. */
function timeAfter({ cron, timeZone, now }: DueSchedule): Date | null {
  try {
    return nextTime(cron, timeZone, new Date(now));
  } catch {
    return null;
  }
}

/** The points of a plan that the endpoint's limits currently allow. */
async function expandFor(
  tx: Transaction,
  endpoint: EndpointRow,
  plan: AskedPlan & { seed: number },
): Promise<ExpandedPlan> {
  return expandPlan({ ...plan, limits: limitsOf(endpoint, await readDay(tx, endpoint), plan.limits) });
}

async function fire(tx: Transaction, schedule: DueSchedule): Promise<Fired> {
  const { id, accountId, endpointId } = schedule;
  const endpoint = await findEndpoint(tx, endpointId, null);
  if (endpoint === null) return { kind: 'ended', why: 'its endpoint was removed' };
  const asked = readStored(schedule.request);
  if (asked === null) return { kind: 'ended', why: 'its plan can no longer be read' };
  if (await hasOpenRun(tx, id)) return { kind: 'skipped', why: 'its last run has not finished' };
  const seed = asked.seed ?? randomInt(seedsMax);
  const expanded = await expandFor(tx, endpoint, { ...asked, seed });
  if (isPlanEmpty(expanded)) return { kind: 'skipped', why: 'no point of its plan can be measured today' };
  // `readPlan` has validated it.
  const request = schedule.request as Record<string, unknown>;
  const runId = await insertRun(tx, { accountId, endpointId, scheduleId: id, request, seed, expanded });
  return runId === null ? { kind: 'ended', why: 'its endpoint was removed' } : { kind: 'run', runId };
}

/** Creates a schedule's run and advances the schedule, atomically. */
async function fireAndMove(tx: Transaction, schedule: DueSchedule): Promise<Fired> {
  const fired = await fire(tx, schedule);
  await moveSchedule(tx, schedule.id, {
    nextAt: fired.kind === 'ended' ? null : timeAfter(schedule),
    runId: fired.kind === 'run' ? fired.runId : null,
  });
  return fired;
}

const describe = (fired: Fired) => (fired.kind === 'run' ? `made ${fired.runId}` : `${fired.kind}, ${fired.why}`);

/**
 * Creates a run for each due schedule, in separate transactions, and returns their number. If several times passed during a
 * downtime, creates one run. A failing schedule blocks neither others nor its own next attempt.
 */
export async function tickSchedules({ database, log }: WorkerDeps, signal: AbortSignal): Promise<number> {
  const failed: string[] = [];
  let made = 0;
  while (!signal.aborted) {
    let taken: string | null = null;
    try {
      const fired = await transact(database.db, async (tx) => {
        const schedule = await takeDueSchedule(tx, failed);
        taken = schedule?.id ?? null;
        return schedule === null ? null : fireAndMove(tx, schedule);
      });
      if (fired === null) return made;
      if (fired.kind === 'run') made += 1;
      log('info', `schedule ${taken}: ${describe(fired)}`);
    } catch (error) {
      if (taken === null) throw error;
      failed.push(taken);
      log('error', `schedule ${taken} failed`, { error: error instanceof Error ? error.stack : String(error) });
    }
  }
  return made;
}
