import { endStates, runStates } from '@inferboard/core/plans/run-state';
import type { Database } from '@inferboard/db/connection/client';
import { countEndedWork, countOpenWork, countOverdue } from '@inferboard/db/service/work-count';
import { Gauge, type Registry } from 'prom-client';
import { cacheQuery, countedForMs, scrapeMs } from './cache-query.ts';

const openStates = runStates.filter((state) => !endStates.some((end) => end === state));

function addOpen(registers: Registry[], { sql }: Database): void {
  const open = cacheQuery(scrapeMs, () => countOpenWork(sql));
  const gauge = (name: string, help: string, read: (work: NonNullable<Awaited<ReturnType<typeof open>>>) => number) =>
    new Gauge({
      name,
      help,
      registers,
      aggregator: 'first',
      async collect() {
        const work = await open();
        this.remove();
        if (work !== null) this.set(read(work));
      },
    });
  new Gauge({
    name: 'inferboard_runs_open',
    help: 'Unfinished managed runs by state: the queue of the workers.',
    labelNames: ['state'],
    registers,
    aggregator: 'first',
    async collect() {
      const work = await open();
      this.reset();
      if (work === null) return;
      for (const state of openStates) this.set({ state }, 0);
      for (const { state, count } of work.runs) this.set({ state }, count);
    },
  });
  gauge(
    'inferboard_runs_oldest_pending_seconds',
    'Waiting time of the managed run that has waited longest for a worker; 0 if none waits.',
    ({ oldestPendingS }) => oldestPendingS ?? 0,
  );
  gauge(
    'inferboard_runs_stalled',
    'Managed runs whose worker has been silent for more than a minute after its lease ended.',
    ({ stalledRuns }) => stalledRuns,
  );
  gauge(
    'inferboard_webhook_deliveries_waiting',
    'Queued webhook messages.',
    ({ waitingDeliveries }) => waitingDeliveries,
  );
  gauge(
    'inferboard_webhook_deliveries_oldest_due_seconds',
    'Time since the oldest due webhook message was due; 0 if none is due.',
    ({ oldestDueS }) => oldestDueS ?? 0,
  );
  gauge('inferboard_concerns_open', 'Reported problems without a decision.', ({ openConcerns }) => openConcerns);
  gauge(
    'inferboard_concerns_oldest_open_seconds',
    'Waiting time of the reported problem that has waited longest for a decision; 0 if none waits.',
    ({ oldestConcernS }) => oldestConcernS ?? 0,
  );
}

function addEnded(registers: Registry[], { sql }: Database): void {
  const ended = cacheQuery(countedForMs, () => countEndedWork(sql));
  new Gauge({
    name: 'inferboard_runs_ended',
    help: 'Finished managed runs by outcome and reason, as of a minute ago.',
    labelNames: ['state', 'reason'],
    registers,
    aggregator: 'first',
    async collect() {
      const work = await ended();
      this.reset();
      for (const { state, failure, count } of work?.runs ?? []) this.set({ state, reason: failure ?? '' }, count);
    },
  });
  new Gauge({
    name: 'inferboard_webhook_deliveries_ended',
    help: 'Webhook messages of the last month that were confirmed or given up, as of a minute ago.',
    labelNames: ['outcome'],
    registers,
    aggregator: 'first',
    async collect() {
      const work = await ended();
      this.reset();
      if (work === null) return;
      for (const outcome of ['taken', 'given_up']) this.set({ outcome }, 0);
      for (const { taken, count } of work.deliveries) this.set({ outcome: taken ? 'taken' : 'given_up' }, count);
    },
  });
  new Gauge({
    name: 'inferboard_database_size_bytes',
    help: 'Disk space used by the database, as of a minute ago.',
    registers,
    aggregator: 'first',
    async collect() {
      const work = await ended();
      this.remove();
      if (work !== null) this.set(work.databaseBytes);
    },
  });
}

/** How long the count of overdue rows is cached: removal itself runs every ten minutes. */
const overdueForMs = 600_000;

function addOverdue(registers: Registry[], { sql }: Database): void {
  const overdue = cacheQuery(overdueForMs, () => countOverdue(sql));
  new Gauge({
    name: 'inferboard_retention_overdue_rows',
    help: 'Rows that should have been removed at least an hour ago, by table; 10000 means 10000 or more.',
    labelNames: ['table'],
    registers,
    aggregator: 'first',
    async collect() {
      this.reset();
      for (const { table, rows } of (await overdue()) ?? []) this.set({ table }, rows);
    },
  });
}

/**
 * Metrics of the queues of workers and admins, and of their outcomes. They are read from the database, so any process reports all
 * of them.
 */
export function addWork(registry: Registry, database: Database): void {
  addOpen([registry], database);
  addEnded([registry], database);
  addOverdue([registry], database);
}
