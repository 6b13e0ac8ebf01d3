import { and, asc, eq, gt, sql } from 'drizzle-orm';
import { runEvents } from '../schema/index.ts';
import type { Queryable } from '../transaction.ts';

export const runEventKinds = ['state', 'point', 'end'] as const;
export type RunEventKind = (typeof runEventKinds)[number];

export interface RunEvent {
  /** From 1, without gaps. */
  ordinal: number;
  kind: RunEventKind;
  data: Record<string, unknown>;
  createdAt: string;
}

/** Adds an event to a run. Simultaneous ones wait for each other, so that whoever has seen one has seen all before it. */
export async function appendEvent(
  db: Queryable,
  runId: string,
  kind: RunEventKind,
  data: Record<string, unknown>,
): Promise<void> {
  await db.execute(sql`
    with counted as (update runs set events = events + 1 where id = ${runId} returning id, events)
    insert into run_events (run_id, ordinal, kind, data)
    select id, events, ${kind}, ${JSON.stringify(data)}::jsonb from counted`);
}

/** Events of a run after an ordinal, oldest first. */
export async function listEvents(db: Queryable, runId: string, after: number, limit: number): Promise<RunEvent[]> {
  const rows = await db
    .select({
      ordinal: runEvents.ordinal,
      kind: runEvents.kind,
      data: runEvents.data,
      createdAt: runEvents.createdAt,
    })
    .from(runEvents)
    .where(and(eq(runEvents.runId, runId), gt(runEvents.ordinal, after)))
    .orderBy(asc(runEvents.ordinal))
    .limit(limit);
  return rows as RunEvent[];
}
