import type { Metric } from '@inferboard/core/metrics/index';
import type { Reading } from '@inferboard/core/series/change-figures';
import type { Trust } from '@inferboard/core/subjects/result';
import type { Source } from '@inferboard/core/subjects/source';
import { sql } from 'drizzle-orm';
import type { Queryable } from '../connection/transaction.ts';
import { texts } from '../copy/bulk.ts';

/** A result's value of a metric, with the publication of an imported one. */
export interface SourcedReading extends Reading {
  trust: Trust;
  source: Source | null;
}

/** Reads a metric of results by their ids. */
export async function listSourcedReadings(
  db: Queryable,
  { ids, metric }: { ids: readonly string[]; metric: Metric },
): Promise<Map<string, SourcedReading>> {
  if (ids.length === 0) return new Map();
  const rows = (await db.execute(sql`
    select t.id, t.submission_id as "submissionId", t.trust, ${sql`t.${sql.identifier(metric.name)}`} as value,
      t.definitions ->> ${metric.family.base}::text as definition, case when t.origin = 'imported' then t.source end as source,
      to_json(t.measured_at) #>> '{}' as "measuredAt", to_json(t.created_at) #>> '{}' as "createdAt",
      case when jsonb_typeof(t.repeats) = 'object' then jsonb_build_object('n', t.repeats -> 'n',
        'sd', t.repeats -> 'sd' -> ${metric.name}::text, 'samples', t.repeats -> 'samples' -> ${metric.name}::text)
      end as repeats
    from results t where t.id = any(${texts(ids)})`)) as unknown as SourcedReading[];
  return new Map(
    rows.map(({ repeats, ...row }) => [
      row.id,
      {
        ...row,
        repeats: repeats && { n: repeats.n ?? null, sd: repeats.sd ?? null, samples: repeats.samples ?? null },
      },
    ]),
  );
}
