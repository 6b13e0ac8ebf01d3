import type { Database } from '@inferboard/db/client';
import { pointIndexState } from '@inferboard/db/point-index/point-index';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Intake } from './intake/intake.ts';

/** The copy of all points that boards of this process are ranked from. */
export function addPointIndex(registry: Registry, { db }: Database): void {
  const registers = [registry];
  const gauge = (name: string, help: string, read: (state: ReturnType<typeof pointIndexState>) => number | null) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.remove();
        const value = read(pointIndexState(db));
        if (value !== null) this.set(value);
      },
    });
  gauge('inferboard_point_index_rows', 'Rows of points that this process holds in memory.', ({ rows }) => rows);
  gauge(
    'inferboard_point_index_gone_rows',
    'Of these, rows that are there no more; where they are more than half all is read anew.',
    ({ goneRows }) => goneRows,
  );
  gauge(
    'inferboard_point_index_age_seconds',
    'Since the rows were last brought up to date, which each question does first; no value before the first.',
    ({ readAt }) => (readAt === null ? null : (performance.now() - readAt) / 1000),
  );
  gauge(
    'inferboard_point_index_catch_up_seconds',
    'How long it took the last time to bring the rows up to date.',
    ({ catchUp_ms }) => (catchUp_ms === null ? null : catchUp_ms / 1000),
  );
  new Counter({
    name: 'inferboard_point_index_reads_whole_total',
    help: 'How often all rows were read anew.',
    registers,
    collect() {
      this.reset();
      this.inc(pointIndexState(db).wholeReads);
    },
  });
}

/** The thread that reads large submissions. */
export function addIntake(registry: Registry, intake: Intake): void {
  new Gauge({
    name: 'inferboard_intake_waiting',
    help: 'Large submissions that wait for the thread that reads them, or are read there.',
    registers: [registry],
    collect() {
      this.set(intake.waiting());
    },
  });
}
