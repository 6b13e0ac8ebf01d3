import type { CheckedResult } from '../../packages/core/src/result.ts';
import type { System } from '../../packages/core/src/system.ts';
import { hasSeveralAccounts, replicationOf } from '../../packages/db/src/point-statistics/replication.ts';
import {
  type Contribution,
  toContribution,
  toStanding,
  toStatisticsRows,
} from '../../packages/db/src/point-statistics/standing.ts';
import type { Row } from '../../packages/db/src/rows.ts';

/** A result in its place. */
export interface Placed {
  id: string;
  account: string;
  result: CheckedResult;
  row: Row;
}

/** What is called unspecified or unknown twice need not be the same. */
const isNamed = ({ model, gpu, quantization }: System) =>
  model.id !== null && gpu.id !== null && quantization.id !== null;

function toAddition(
  of: readonly Placed[],
  pointId: number,
): { results: Contribution[]; findings: number; warnings: number } {
  const told = of.flatMap(({ result }) => result.findings.filter(({ severity }) => severity !== 'unchecked'));
  return {
    results: of.map(({ id, account, result }) => toContribution(result, { id, pointId, account })),
    findings: told.length,
    warnings: told.filter(({ severity }) => severity !== 'info').length,
  };
}

/** The statistics of a point, and its results' trust, as storing one after the other would have left them. */
export function sumUp(placed: Placed[], pointId: number, system: System): Row[] {
  placed.sort((a, b) => (a.id < b.id ? -1 : 1));
  return [...Map.groupBy(placed, ({ result }) => result.status)].flatMap(([status, of]) => {
    const { results, ...doubts } = toAddition(of, pointId);
    const replication = isNamed(system) && hasSeveralAccounts(results) ? replicationOf(results) : null;
    if (status === 'accepted' && replication !== null) {
      const replicated = new Set(replication.replicated);
      for (const { account, row } of of) if (replicated.has(account)) row.trust = 'replicated';
    }
    return toStatisticsRows(toStanding(results, doubts, replication));
  });
}
