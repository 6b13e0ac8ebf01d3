import type { Choice } from '@inferboard/core/ranking/choice';
import type { Regime } from '@inferboard/core/workloads/regime';
import { parseWorkload } from '@inferboard/core/workloads/workload-id';
import { sql } from 'drizzle-orm';
import { value } from '../../connection/statement.ts';
import type { Queryable } from '../../connection/transaction.ts';
import { preparedForMoment } from '../../service/moment.ts';
import type { ScenarioRow } from './row-types.ts';

/** The workload of a board, with its description. */
export interface WorkloadChoice
  extends Choice,
    Pick<ScenarioRow, 'input_tokens' | 'output_tokens' | 'dataset' | 'depth'> {
  /** Null for kernels and training runs. */
  regime: Regime | null;
}

type Facts = Pick<ScenarioRow, 'input_tokens' | 'output_tokens' | 'dataset' | 'depth'>;

const factsOf = preparedForMoment<{ shape: string }, Facts>(sql`
  select input_tokens, output_tokens, dataset, depth from scenarios where name = ${value('shape')} order by id limit 1`);

/** Reads a chosen workload with its facts from a scenario of the same shape. */
export async function readWorkload(db: Queryable, choice: Choice | null): Promise<WorkloadChoice | null> {
  if (choice === null) return null;
  const { shape, regime } = parseWorkload(choice.id);
  const [facts] = await factsOf(db, { shape });
  return { ...choice, regime, ...(facts ?? { input_tokens: null, output_tokens: null, dataset: null, depth: null }) };
}
