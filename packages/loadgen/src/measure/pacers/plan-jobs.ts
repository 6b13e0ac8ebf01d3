import { createTransport } from '../../wire/create-transport.ts';
import type { Target } from '../../wire/transport.ts';
import { type Control, createControl } from '../control.ts';
import type { PaceShare } from '../engine.ts';
import { checkPlan, countConnections, countRequests, countThreads, type LoadPlan, shareOf } from '../plan.ts';
import { packRequests } from '../records/pack-requests.ts';
import { createTable, type RequestTable } from '../records/request-table.ts';
import type { ThreadJob } from '../thread-messages.ts';

/** A plan as its threads are given it, and what they share. */
export interface PlannedRun {
  jobs: ThreadJob[];
  table: RequestTable;
  control: Control;
}

const usualTokens = 256;

/** Output tokens that a body asks for at most; null where it does not say. */
export function maxTokensOf(body: string): number | null {
  const asked = /"max_(?:completion_|output_)?tokens"\s*:\s*(\d{1,7})/.exec(body)?.[1];
  return asked === undefined ? null : Number(asked);
}

function paceOf({ pace }: LoadPlan, thread: number, threads: number): PaceShare {
  if (pace.mode === 'closed') {
    const staggerMs = pace.stagger_ms ?? 0;
    const slots = shareOf(pace.concurrency, thread, threads);
    return { mode: 'closed', slots, staggerMs: staggerMs * threads, firstAtMs: staggerMs * thread };
  }
  const cap = pace.maxInFlight === null ? null : shareOf(pace.maxInFlight, thread, threads);
  return { mode: 'open', due: pace.due_ms, first: thread, step: threads, cap, isHybrid: pace.timer !== 'plain' };
}

/**
 * Divides a plan among its threads, the bytes of its requests made.
 *
 * @param closes whether the server closes each connection after its response; null if unknown
 * @throws RangeError or TypeError on what cannot be run
 */
export function planJobs(plan: LoadPlan, isWatched = false, closes: boolean | null = null): PlannedRun {
  checkPlan(plan);
  const rows = countRequests(plan);
  const target: Target = { connect: plan.connect, path: plan.path, headers: plan.headers };
  const bodies = plan.bodies.slice(0, rows);
  const transport = createTransport(target, { now: () => 0 });
  const { turns = null } = plan;
  const firstRows = turns === null ? null : new Set(turns.first);
  const requests = packRequests(
    bodies.map((body, row) =>
      firstRows === null || firstRows.has(row) ? transport.serialise(body) : Buffer.from(body),
    ),
  );
  const count = countThreads(plan);
  const table = createTable(rows);
  const control = createControl(count);
  const maxTokens = bodies.map(maxTokensOf);
  for (const [row, tokens] of maxTokens.entries()) table.counts.maxTokens[row] = tokens ?? -1;
  // A guess that only sizes the log.
  const chunks = Math.ceil(maxTokens.reduce((sum: number, tokens) => sum + (tokens ?? usualTokens), 0) / count);
  const jobs = Array.from({ length: count }, (_, thread) => ({
    thread,
    target,
    pace: paceOf(plan, thread, count),
    limits: plan.limits,
    requests,
    turns,
    hasDocuments: plan.hasDocuments ?? false,
    rows,
    table: table.memory,
    control: control.memory,
    expectedChunks: chunks,
    warmsUp: plan.warmsUp ?? true,
    isRealtime: plan.isRealtime ?? false,
    isWatched,
    connections: shareOf(countConnections(plan), thread, count),
    usesConnectionsOnce: closes ?? false,
    watchesCloses: plan.isWarmup === true && closes === null,
  }));
  return { jobs, table, control };
}
