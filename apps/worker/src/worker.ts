import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseDown } from '@inferboard/db/errors';
import { claimRun } from '@inferboard/db/queries/run-claim';
import { removeOld } from '@inferboard/db/retention/remove-old';
import { judgeAccounts } from './accounts/judge-accounts.ts';
import type { RunDeps } from './deps.ts';
import { checkSubmissions } from './regressions/tell-regressions.ts';
import { workOnRun } from './runs/work-on-run.ts';
import { tickSchedules } from './schedules/tick-schedules.ts';
import { deliverDue } from './webhooks/deliver-due.ts';

export interface Worker {
  /** Stops measuring, gives back what is not over, and resolves when nothing is under way. */
  stop(): Promise<void>;
}

interface Chore {
  name: string;
  every_ms: number;
  /** True if there may be more to do at once. */
  run(signal: AbortSignal): Promise<boolean>;
}

/** After an error of ours, or while the database is away. */
const pause_ms = 2000;

/** Does a chore again and again until the signal. */
async function repeat(chore: Chore, { log }: RunDeps, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    let wait_ms = chore.every_ms;
    try {
      if (await chore.run(signal)) continue;
    } catch (error) {
      wait_ms = pause_ms;
      const stack = error instanceof Error ? error.stack : String(error);
      log(
        'error',
        `${chore.name} failed`,
        isDatabaseDown(error) ? { error: 'the database is away' } : { error: stack },
      );
    }
    await sleep(wait_ms, undefined, { signal }).catch(() => undefined);
  }
}

/** Starts claiming and measuring in this process: `slots` runs at a time, each of another endpoint. */
export function startWorker(deps: RunDeps, slots: number): Worker {
  const controller = new AbortController();
  const { signal } = controller;
  const claims: Chore[] = Array.from({ length: slots }, (_, slot) => ({
    name: `slot ${slot}`,
    every_ms: 500,
    run: async () => {
      const run = await claimRun(deps.database.db, deps.workerId);
      if (run === null) return false;
      deps.log('info', `run ${run.runId}: attempt ${run.attempt}`, { run_id: run.runId, attempt: run.attempt });
      const attributes = { 'inferboard.run.id': run.runId, 'inferboard.run.attempt': run.attempt };
      await deps.tracing.span('run', { parent: null, attributes }, () => workOnRun(deps, run, signal));
      return true;
    },
  }));
  const others: Chore[] = [
    {
      name: 'schedules',
      every_ms: 5000,
      run: async () => {
        await tickSchedules(deps, signal);
        return false;
      },
    },
    {
      name: 'regressions',
      every_ms: 1000,
      run: async () => {
        await checkSubmissions(deps, signal);
        return false;
      },
    },
    {
      name: 'webhooks',
      every_ms: 1000,
      run: async () => {
        await deliverDue(deps, signal);
        return false;
      },
    },
    {
      name: 'standings',
      every_ms: 60_000,
      run: async () => {
        await judgeAccounts(deps, signal);
        return false;
      },
    },
    {
      name: 'retention',
      every_ms: 600_000,
      run: async () => {
        const removed = await removeOld(deps.database, signal);
        const told = Object.entries(removed).map(([table, rows]) => `${rows} of ${table}`);
        if (told.length > 0) deps.log('info', `old rows removed: ${told.join(', ')}`);
        return false;
      },
    },
  ];
  const chores = [...claims, ...others].map((chore) => repeat(chore, deps, signal));
  return {
    stop: async () => {
      controller.abort();
      await Promise.all(chores);
    },
  };
}
