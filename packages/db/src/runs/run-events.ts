import { sql } from 'drizzle-orm';
import type { Queryable } from '../connection/transaction.ts';

export const runEventKinds = ['state', 'point', 'end'] as const;
export type RunEventKind = (typeof runEventKinds)[number];

export interface RunEvent {
  /** From 1, without gaps. */
  ordinal: number;
  kind: RunEventKind;
  data: Record<string, unknown>;
  createdAt: string;
}

/** Appends an event to a run. Concurrent calls are serialized, so that a reader of one event has seen all earlier ones. */
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
