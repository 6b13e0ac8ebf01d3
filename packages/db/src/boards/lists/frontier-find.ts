import { frontierFinding, frontierMetrics } from '@inferboard/core/claims/frontier';
import type { MetricName } from '@inferboard/core/metrics/index';
import type { CheckedResult } from '@inferboard/core/subjects/result';
import { sql } from 'drizzle-orm';
import { executeOften } from '../../connection/statement.ts';
import type { Transaction } from '../../connection/transaction.ts';

interface Frontier {
  place: number;
  best: Partial<Record<MetricName, number | null>>;
}

const highest = sql.raw(
  frontierMetrics
    .map(({ name, isPerSystem }) => `'${name}', max(t."${name}"${isPerSystem ? ' / greatest(s.gpu_count, 1)' : ''})`)
    .join(', '),
);

/** The compared group: a model, GPU and quantization from the catalogue, in one scenario. */
const contestOf = ({ system, scenario }: CheckedResult) => {
  const [model, gpu, quantization] = [system.model.id, system.gpu.id, system.quantization.id];
  return model === null || gpu === null || quantization === null
    ? null
    : { model, gpu, quantization, shape: scenario.id };
};

/**
 * Holds a new account's results that are far above every representative claim of the same model, GPU, quantization and workload. If
 * no such claim exists, the result is not held.
 */
export async function holdBeyondFrontier(tx: Transaction, results: readonly CheckedResult[]): Promise<CheckedResult[]> {
  const contests = results.map((result) => (result.status === 'accepted' ? contestOf(result) : null));
  const asked = new Map(contests.filter((one) => one !== null).map((one) => [JSON.stringify(one), one]));
  if (asked.size === 0) return [...results];
  const keys = [...asked.keys()];
  const rows = await executeOften<Frontier>(
    tx,
    sql`
    select w.place, jsonb_build_object(${highest}) as best
    from jsonb_to_recordset(${JSON.stringify([...asked.values()].map((one, place) => ({ ...one, place })))}::jsonb)
      as w(place int, model text, gpu text, quantization text, shape text)
    join systems s on s.model_id = w.model and s.gpu_id = w.gpu and s.quantization_id = w.quantization
    join points p on p.system_id = s.id
    join scenarios sc on sc.id = p.scenario_id and sc.name = w.shape
    join point_statistics t on t.point_id = p.id and t.stands and t.status = 'accepted'
    group by w.place`,
  );
  const bestOf = new Map(rows.map(({ place, best }) => [keys[place], best]));
  return results.map((result, place) => {
    const best = bestOf.get(JSON.stringify(contests[place]));
    const finding =
      best === undefined
        ? null
        : frontierFinding({ ...result.derived, ...result.metrics }, result.system.gpuCount ?? 1, best);
    return finding === null ? result : { ...result, status: 'quarantined', findings: [...result.findings, finding] };
  });
}
