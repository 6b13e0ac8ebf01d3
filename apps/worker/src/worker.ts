import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseDown } from '@inferboard/db/connection/errors';
import { continueStandings } from '@inferboard/db/points/apply-standing';
import { removeOld } from '@inferboard/db/retention/remove-old';
import { claimRun } from '@inferboard/db/runs/run-claim';
import { judgeAccounts } from './accounts/judge-accounts.ts';
import type { RunDeps } from './deps.ts';
import { sendRankChanges } from './ranks/send-rank-changes.ts';
import { checkSubmissions } from './regressions/send-regressions.ts';
import { workOnRun } from './runs/work-on-run.ts';
import { tickSchedules } from './schedules/tick-schedules.ts';
import { createHelper } from './shares/help-run.ts';
import { deliverDue } from './webhooks/deliver-due.ts';

export interface Worker {
  /** Stops measuring, returns unfinished runs to the queue, and resolves when no work is in progress. */
  stop(): Promise<void>;
}

interface Chore {
  name: string;
  every_ms: number;
  /** Returns true if more work may be available at once. */
  run(signal: AbortSignal): Promise<boolean>;
}

/** Delay after an internal error, or while the database is unavailable. */
const pause_ms = 2000;

/** Repeats a chore until the signal is aborted. */
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
        isDatabaseDown(error) ? { error: 'the database is unavailable' } : { error: stack },
      );
    }
    await sleep(wait_ms, undefined, { signal }).catch(() => undefined);
  }
}

/** Starts claiming and measuring in this process: `slots` concurrent runs, or shares of others, each of a different endpoint. */
export function startWorker(deps: RunDeps, slots: number): Worker {
  const controller = new AbortController();
  const { signal } = controller;
  const helper = createHelper(deps);
  const claims: Chore[] = Array.from({ length: slots }, (_, slot) => ({
    name: `slot ${slot}`,
    every_ms: 500,
    run: async () => {
      const run = await claimRun(deps.database.db, deps.workerId);
      if (run === null) return helper.help(signal);
      deps.log('info', `run ${run.runId}: attempt ${run.attempt}`, { run_id: run.runId, attempt: run.attempt });
      const attributes = { 'inferboard.run.id': run.runId, 'inferboard.run.attempt': run.attempt };
      await deps.tracing.span('run', { parent: null, attributes }, () => workOnRun(deps, run, signal));
      return true;
    },
  }));
  let ranksAt: string | null = null;
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
      name: 'ranks',
      every_ms: 15_000,
      run: async () => {
        ranksAt = await sendRankChanges(deps, ranksAt);
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
      name: 'results of accounts',
      every_ms: 1000,
      run: async () => {
        await continueStandings(deps.database.db, signal);
        return false;
      },
    },
    {
      name: 'retention',
      every_ms: 600_000,
      run: async () => {
        const removed = await removeOld(deps.database, signal);
        const counts = Object.entries(removed).map(([table, rows]) => `${rows} of ${table}`);
        if (counts.length > 0) deps.log('info', `old rows removed: ${counts.join(', ')}`);
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
