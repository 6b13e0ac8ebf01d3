import { claimRun, type Lease } from '@inferboard/db/queries/run-claim';
import { findRun } from '@inferboard/db/queries/run-find';
import { advanceRun, endRun, finishPoint, listOpenPoints } from '@inferboard/db/queries/run-progress';
import type { TestApp } from './index.ts';

/** A plan of two short points. */
export const shortPlan = [
  { scenario: 'chatbot', load: { mode: 'concurrency', level: 1 }, requests: 4, warmup: 0 },
  { scenario: 'chatbot', load: { mode: 'concurrency', level: 2 }, requests: 6, warmup: 0 },
];

/** What a worker does with a run, without measuring anything. */
export function createTestWorker(app: TestApp) {
  const db = () => app.deps.database.db;
  return {
    /** Claims runs until it has this one; others are given up where they are. */
    async claim(runId: string): Promise<Lease> {
      for (let attempt = 0; attempt < 50; attempt += 1) {
        const run = await claimRun(db(), 'worker of the test');
        if (run === null) break;
        if (run.runId === runId) return { runId, attempt: run.attempt };
      }
      throw new Error(`${runId} is not there to be claimed`);
    },
    start: (lease: Lease) => advanceRun(db(), lease, 'running'),
    /** Measures the next point of a run. */
    async measure(lease: Lease): Promise<void> {
      const [open, ...others] = await listOpenPoints(db(), lease.runId);
      const run = await findRun(db(), lease.runId);
      if (open === undefined || run === null) throw new Error(`${lease.runId} has no point to measure`);
      await finishPoint(db(), lease, open, {
        summary: { output_tok_s: 80.5, ttft_ms_p50: 41.2 },
        report: { bytes: new Uint8Array([123, 125]), packing: null },
        requestsDone: others.reduce((left, { point }) => left - point.requests, run.requestsTotal),
      });
    },
    async end(lease: Lease, failure: { code: string; message: string } | null = null): Promise<void> {
      await db().transaction((tx) => endRun(tx, lease, failure === null ? 'processed' : 'failed', failure));
    },
  };
}
