import type { LiveFigures } from '@inferboard/core/observed/live-figures';
import type { Timeline } from '@inferboard/core/observed/timeline';
import { claimRun, type Lease } from '@inferboard/db/runs/run-claim';
import { findRun } from '@inferboard/db/runs/run-find';
import {
  advanceRun,
  beatRun,
  endRun,
  finishPoint,
  listOpenPoints,
  type Postponement,
  postponeRun,
} from '@inferboard/db/runs/run-progress';
import type { TestApp } from './index.ts';

/** A plan of two short points. */
export const shortPlan = [
  { scenario: 'chatbot', load: { mode: 'concurrency', level: 1 }, requests: 4, warmup: 0 },
  { scenario: 'chatbot', load: { mode: 'concurrency', level: 2 }, requests: 6, warmup: 0 },
];

const latency = (n: number, p50: number | null) => ({ n, p50, p90: null, p95: null, p99: null });

/** Figures in the middle of a point of `shortPlan`. */
export const liveFigures: LiveFigures = {
  at: '2026-01-15T09:30:40.000Z',
  point: 'chatbot/concurrency:1/1',
  title: 'chatbot, 1 concurrent',
  requests: { done: 3, total: 4 },
  in_flight: 1,
  req_s: 0.5,
  output_tok_s: 81.2,
  ttft_ms: latency(2, null),
  itl_ms: latency(400, 12.1),
  e2e_ms: latency(2, null),
  errors: { http_5xx: 1 },
  server: { running: 1, waiting: 0, kv_cache_share: 0.02, preemptions: 0 },
};

/** Simulates a worker's actions on a run without measuring. */
export function createTestWorker(app: TestApp) {
  const db = () => app.deps.database.db;
  return {
    /** Claims runs until it gets this one; the others are abandoned in their state. */
    async claim(runId: string): Promise<Lease> {
      for (let attempt = 0; attempt < 50; attempt += 1) {
        const run = await claimRun(db(), 'worker of the test');
        if (run === null) break;
        if (run.runId === runId) return { runId, attempt: run.attempt };
      }
      throw new Error(`${runId} is not there to be claimed`);
    },
    /** Returns the run to the queue after a failed attempt. */
    postpone: (lease: Lease, postponement: Postponement) => postponeRun(db(), lease, postponement),
    start: (lease: Lease) => advanceRun(db(), lease, 'running'),
    /** Stores the figures of the current point. */
    show: (lease: Lease, live: LiveFigures) => beatRun(db(), lease, null, live),
    /** Measures the next point of a run. */
    async measure(lease: Lease, timeline?: Timeline): Promise<void> {
      const [open, ...others] = await listOpenPoints(db(), lease.runId);
      const run = await findRun(db(), lease.runId);
      if (open === undefined || run === null) throw new Error(`${lease.runId} has no point to measure`);
      await finishPoint(db(), lease, open, {
        summary: { output_tok_s: 80.5, ttft_ms_p50: 41.2 },
        report: { bytes: new Uint8Array([123, 125]), packing: null },
        requestsDone: others.reduce((left, { point }) => left - point.requests, run.requestsTotal),
        timeline,
      });
    },
    async end(lease: Lease, failure: { code: string; message: string } | null = null): Promise<void> {
      await db().transaction((tx) => endRun(tx, lease, failure === null ? 'processed' : 'failed', failure));
    },
  };
}
