import { quantile } from '../chaos/bars.ts';
import type { Pressed } from './press.ts';
import { cpuOf } from './processes.ts';

/** The cost of one round of a request. */
export interface Cost {
  perSecond: number;
  p50_ms: number;
  p99_ms: number;
  /** CPU time per request: of the service or the bare process, and of PostgreSQL. */
  own_ms: number;
  database_ms: number;
  /** Fraction of a core that the clients, or the bare process, used. */
  clientsBusy: number;
  failed: number;
  fault: string | null;
}

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2;
};

/** The median of one figure over rounds. */
export const over = (costs: readonly Cost[], figure: (cost: Cost) => number): number => median(costs.map(figure));

export const cpuOfBoth = ({ own_ms, database_ms }: Cost): number => own_ms + database_ms;

/** A round with the CPU time of two process trees during it. */
export async function measure(
  { own, database }: { own: readonly number[]; database: number },
  round: () => Promise<Pressed>,
): Promise<Cost> {
  const look = () => Promise.all([cpuOf(own), cpuOf([database])]);
  const before = await look();
  const { times, took_ms, cpu_ms, failed, fault } = await round();
  const after = await look();
  const count = times.length;
  const sorted = [...times];
  return {
    perSecond: (count / took_ms) * 1000,
    p50_ms: quantile(sorted, 0.5),
    p99_ms: quantile(sorted, 0.99),
    own_ms: (after[0] - before[0]) / count,
    database_ms: (after[1] - before[1]) / count,
    clientsBusy: cpu_ms / took_ms,
    ...{ failed, fault },
  };
}
