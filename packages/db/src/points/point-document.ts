import { sql } from 'drizzle-orm';

/** A row `t` of point_statistics with the load of its point `p`, as typed by `PackedRow`. */
export const pointDocument = sql`
  to_jsonb(t) || jsonb_build_object('load_mode', p.load_mode, 'load_level', p.load_level,
    'load_detail', p.load_detail, 'kind', p.kind)`;
