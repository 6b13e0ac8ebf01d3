import { comparedMetrics, judgeReplication, type Replication } from '@inferboard/core/statistics/replication';
import { type Contribution, collect, statisticsOf } from './standing.ts';

/** Whether more than one account measured. */
export function hasSeveralAccounts(results: readonly Contribution[]): boolean {
  return results.some(({ account }) => account !== results[0]?.account);
}

/** What the accounts behind the accepted results of one point say of each other; null where there is only one. */
export function replicationOf(results: readonly Contribution[]): Replication | null {
  if (results[0]?.status !== 'accepted' || !hasSeveralAccounts(results)) return null;
  const figures = [...Map.groupBy(results, ({ account }) => account)].flatMap(([account, of]) =>
    collect(of).flatMap(({ definition, given }) =>
      [...given]
        .filter(([metric]) => comparedMetrics.has(metric))
        .map(([metric, values]) => {
          const { n, mean, ci95 } = statisticsOf(metric, values);
          return { metric, definition, figure: { account, n, mean, ci95 } };
        }),
    ),
  );
  const compared = Map.groupBy(figures, ({ metric, definition }) => JSON.stringify([metric, definition]));
  return judgeReplication(
    [...compared.values()].flatMap((of) => {
      const [first] = of;
      if (first === undefined) return [];
      return [{ metric: first.metric, definition: first.definition, figures: of.map(({ figure }) => figure) }];
    }),
  );
}
