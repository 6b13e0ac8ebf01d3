import { endStates, runStates } from '@inferboard/core/plans/run-state';
import type { Database } from '@inferboard/db/client';
import { countEndedWork, countOpenWork, countOverdue } from '@inferboard/db/queries/work-count';
import { Gauge, type Registry } from 'prom-client';
import { askedOnce, countedForMs, scrapeMs } from './asked-once.ts';

const openStates = runStates.filter((state) => !endStates.some((end) => end === state));

function addOpen(registers: Registry[], { sql }: Database): void {
  const open = askedOnce(scrapeMs, () => countOpenWork(sql));
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
    help: 'Managed runs that are not over, by state: the queue of the workers.',
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
    'How long the managed run has been due that waits longest for a worker; 0 where none waits.',
    ({ oldestPendingS }) => oldestPendingS ?? 0,
  );
  gauge(
    'inferboard_runs_stalled',
    'Managed runs whose worker was not heard of for more than a minute after its lease.',
    ({ stalledRuns }) => stalledRuns,
  );
  gauge(
    'inferboard_webhook_deliveries_waiting',
    'Webhook messages that are to be sent, now or later.',
    ({ waitingDeliveries }) => waitingDeliveries,
  );
  gauge(
    'inferboard_webhook_deliveries_oldest_due_seconds',
    'How long the webhook message has been due that is due longest; 0 where none is.',
    ({ oldestDueS }) => oldestDueS ?? 0,
  );
  gauge(
    'inferboard_concerns_open',
    'Problems that readers reported and no admin has decided.',
    ({ openConcerns }) => openConcerns,
  );
  gauge(
    'inferboard_concerns_oldest_open_seconds',
    'How long the reported problem has waited that waits longest for a decision; 0 where none does.',
    ({ oldestConcernS }) => oldestConcernS ?? 0,
  );
}

function addEnded(registers: Registry[], { sql }: Database): void {
  const ended = askedOnce(countedForMs, () => countEndedWork(sql));
  new Gauge({
    name: 'inferboard_runs_ended',
    help: 'Managed runs that are over, by how they ended and why, as of a minute ago.',
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
    help: 'Webhook messages of the last month that were taken, or given up, as of a minute ago.',
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
    help: 'What the database takes on disk, as of a minute ago.',
    registers,
    aggregator: 'first',
    async collect() {
      const work = await ended();
      this.remove();
      if (work !== null) this.set(work.databaseBytes);
    },
  });
}

/** How long a count of what is overdue serves: removal itself looks every ten minutes. */
const overdueForMs = 600_000;

function addOverdue(registers: Registry[], { sql }: Database): void {
  const overdue = askedOnce(overdueForMs, () => countOverdue(sql));
  new Gauge({
    name: 'inferboard_retention_overdue_rows',
    help: 'Rows that should have been removed an hour ago and were not, by table; 10000 stands for that many or more.',
    labelNames: ['table'],
    registers,
    aggregator: 'first',
    async collect() {
      this.reset();
      for (const { table, rows } of (await overdue()) ?? []) this.set({ table }, rows);
    },
  });
}

/** What workers and admins have to do, and what became of it. It is read from the database, so any process answers for all. */
export function addWork(registry: Registry, database: Database): void {
  addOpen([registry], database);
  addEnded([registry], database);
  addOverdue([registry], database);
}
