import type { CheckedResult } from '../../packages/core/src/subjects/result.ts';
import type { System } from '../../packages/core/src/subjects/system.ts';
import type { Row } from '../../packages/db/src/connection/rows.ts';
import { toStatisticsRows } from '../../packages/db/src/point-statistics/claim-rows.ts';
import { summariseClaim } from '../../packages/db/src/point-statistics/claim-summary.ts';
import { type Contribution, toContribution } from '../../packages/db/src/point-statistics/contribution.ts';
import { judgeSummaries } from '../../packages/db/src/point-statistics/judge.ts';

/** A result with its index. */
export interface Placed {
  id: string;
  account: string;
  result: CheckedResult;
  row: Row;
}

/** Values that are unspecified or unknown are not necessarily equal. */
const isNamed = ({ model, gpu, quantization }: System) =>
  model.id !== null && gpu.id !== null && quantization.id !== null;

function toAddition(
  of: readonly Placed[],
  pointId: number,
): { results: Contribution[]; findings: number; warnings: number } {
  const findings = of.flatMap(({ result }) => result.findings.filter(({ severity }) => severity !== 'unchecked'));
  return {
    results: of.map(({ id, account, result }) => toContribution(result, { id, pointId, account })),
    findings: findings.length,
    warnings: findings.filter(({ severity }) => severity !== 'info').length,
  };
}

/** The statistics of a point and its results' trust, as if the results had been stored in sequence. */
export function sumUp(placed: Placed[], pointId: number, system: System): Row[] {
  placed.sort((a, b) => (a.id < b.id ? -1 : 1));
  return [...Map.groupBy(placed, ({ result }) => result.status).values()].flatMap((of) => {
    const byClaim = Map.groupBy(of, ({ account, result }) => `${account} ${result.trust}`);
    const claims = [...byClaim.values()];
    const summaries = claims.map((own) => {
      const { results, ...doubts } = toAddition(own, pointId);
      return summariseClaim(results, doubts);
    });
    const judged = judgeSummaries(summaries, isNamed(system));
    for (const [place, { trust }] of judged.entries()) {
      for (const { row } of claims[place] ?? []) row.trust = trust;
    }
    return judged.flatMap(toStatisticsRows);
  });
}
