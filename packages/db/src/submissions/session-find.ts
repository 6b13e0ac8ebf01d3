import type { SessionFigure, SessionServer } from '@inferboard/core/sessions/compare-session';
import { sql } from 'drizzle-orm';
import type { Queryable } from '../connection/transaction.ts';

/** One block of a session, as stored. */
export interface SessionRow extends Record<SessionFigure, number | null> {
  submissionId: string;
  resultId: string;
  server: SessionServer;
  systemId: string;
  systemLabel: string;
  scenario: string;
  loadMode: string;
  loadLevel: number | null;
  /** Equal for the same workload and load. */
  item: string;
  repetition: number | null;
  isPartial: boolean;
}

/** The results of a session of an account, without retracted ones, in the order of their submissions. */
export async function listSessionResults(db: Queryable, accountId: string, session: string): Promise<SessionRow[]> {
  return (await db.execute(sql`
    select s.id as "submissionId", r.id as "resultId", r.extra ->> 'session_server' as server, p.system_id as "systemId",
      y.label as "systemLabel", c.name as scenario, p.load_mode as "loadMode", p.load_level as "loadLevel",
      p.scenario_id || ' ' || p.load_key as item, r.repetition, r.extra ->> 'cut_short' is not null as "isPartial",
      r.ttft_ms_mean, r.tpot_ms_mean, r.output_tok_s
    from submissions s
    join results r on r.submission_id = s.id
    join points p on p.id = r.point_id
    join systems y on y.id = p.system_id
    join scenarios c on c.id = p.scenario_id
    where s.account_id = ${accountId} and s.session = ${session} and s.retracted_at is null
      and r.extra ->> 'session_server' in ('a', 'b')
    order by s.id, r.ordinal`)) as unknown as SessionRow[];
}
