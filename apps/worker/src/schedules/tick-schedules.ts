import { randomInt } from 'node:crypto';
import { DomainError } from '@inferboard/core/errors';
import { type ExpandedPlan, expandPlan } from '@inferboard/core/plans/expand';
import { type AskedPlan, readPlan } from '@inferboard/core/plans/read-plan';
import { type EndpointRow, findEndpoint } from '@inferboard/db/queries/endpoint';
import { limitsOf, readDay } from '@inferboard/db/queries/endpoint-budget';
import { insertRun } from '@inferboard/db/queries/run-create';
import { type DueSchedule, hasOpenRun, moveSchedule, takeDueSchedule } from '@inferboard/db/queries/schedule-due';
import { type Transaction, transact } from '@inferboard/db/transaction';
import type { WorkerDeps } from '../deps.ts';
import { nextTime } from './next-time.ts';

/** What became of a schedule whose time had come. */
type Fired =
  | { kind: 'run'; runId: string }
  /** Not this time. */
  | { kind: 'skipped'; why: string }
  /** Not this time, nor any other. */
  | { kind: 'ended'; why: string };

/** Seeds that are drawn lie below this, so that they read well. */
const seedsMax = 2 ** 31;

/** A plan that was stored, by the rules of today; null where it has none any more. */
function readStored(request: unknown): AskedPlan | null {
  try {
    return readPlan(request);
  } catch (error) {
    if (error instanceof DomainError) return null;
    throw error;
  }
}

/** Null where the stored words name no time any more, or never did. */
function timeAfter({ cron, timeZone, now }: DueSchedule): Date | null {
  try {
    return nextTime(cron, timeZone, new Date(now));
  } catch {
    return null;
  }
}

/** The points of a plan that its endpoint may be asked for now. */
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
  if (endpoint === null) return { kind: 'ended', why: 'its endpoint is removed' };
  const asked = readStored(schedule.request);
  if (asked === null) return { kind: 'ended', why: 'its plan cannot be read any more' };
  if (await hasOpenRun(tx, id)) return { kind: 'skipped', why: 'its last run is not over' };
  const seed = asked.seed ?? randomInt(seedsMax);
  const expanded = await expandFor(tx, endpoint, { ...asked, seed });
  if (expanded.points.length === 0) return { kind: 'skipped', why: 'no point of its plan may be measured today' };
  // As `readPlan` has found it to be.
  const request = schedule.request as Record<string, unknown>;
  const runId = await insertRun(tx, { accountId, endpointId, scheduleId: id, request, seed, expanded });
  return runId === null ? { kind: 'ended', why: 'its endpoint is removed' } : { kind: 'run', runId };
}

/** Fires a schedule and moves it on: both are there after the commit, or neither. */
async function fireAndMove(tx: Transaction, schedule: DueSchedule): Promise<Fired> {
  const fired = await fire(tx, schedule);
  await moveSchedule(tx, schedule.id, {
    nextAt: fired.kind === 'ended' ? null : timeAfter(schedule),
    runId: fired.kind === 'run' ? fired.runId : null,
  });
  return fired;
}

const tell = (fired: Fired) => (fired.kind === 'run' ? `made ${fired.runId}` : `${fired.kind}, ${fired.why}`);

/**
 * Makes a run for each schedule whose time has come, one transaction each, and answers how many it made. Of the times
 * that passed while no worker was there, one run is made. A schedule that fails keeps neither others nor its own next try
 * from running.
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
      log('info', `schedule ${taken}: ${tell(fired)}`);
    } catch (error) {
      if (taken === null) throw error;
      failed.push(taken);
      log('error', `schedule ${taken} failed`, { error: error instanceof Error ? error.stack : String(error) });
    }
  }
  return made;
}
