import { type FactNames, splitFacts } from '@inferboard/core/filters/fact-names';
import type { Filters } from '@inferboard/core/filters/filters';
import type { MetricName } from '@inferboard/core/metrics/index';
import { requiredFacts } from '@inferboard/core/ranking/point-count';
import { walkedMetrics } from '@inferboard/core/ranking/walked';
import { sql } from 'drizzle-orm';
import { wordArray } from '../bulk.ts';
import { type Prepared, prepared, value } from '../statement.ts';
import type { Queryable } from '../transaction.ts';
import { type Asking, isCounted } from './source.ts';

/** A board of a question's kind, by its workload, metric and formula. */
export interface ListedBoard {
  id: number;
  workload: string;
  /** Empty of the board that holds every point of the workload. */
  metric: MetricName | '';
  group: string;
  /** Its systems with the model or GPU asked for. With both, an upper bound: the smaller of the two counts. */
  systems: number;
  /** All its systems. */
  whole: number;
}

/** Reads the boards of some metrics with their systems of the facts that are asked for. */
function readingOf(facts: readonly FactNames[]): Prepared<Record<string, string>, ListedBoard> {
  const ofFact = ({ fact }: FactNames) => sql`
    coalesce((
      select sum(n.systems) from board_systems n
      where n.fact = ${sql.raw(`'${fact}'`)} and n.name = any(${value(fact)}::text[]) and n.board_id = b.id), 0)::int`;
  const limits = [sql`b.systems`, ...facts.map(ofFact)];
  return prepared(sql`
    select b.id, b.workload, b.metric, b.definition_group as "group", least(${sql.join(limits, sql`, `)}) as systems,
      b.systems as whole
    from boards b
    where b.kind = ${value('kind')} and b.metric = any(${value('metrics')}::text[])`);
}

/** One for each set of facts. */
const readings = new Map<string, Prepared<Record<string, string>, ListedBoard>>();

/** All boards of a question's metrics and bounded metrics, and those that hold every point. */
export async function readDirectory(
  db: Queryable,
  { kind, metrics, filters }: Asking,
  more: readonly MetricName[] = [],
): Promise<ListedBoard[]> {
  const names = [...metrics.map(({ name }) => name), ...filters.bounds.map(({ metric }) => metric), ...more];
  const { facts } = splitFacts(filters);
  const given = Object.fromEntries(facts.map(({ fact, names: asked }) => [fact, wordArray(asked)]));
  const read = readings.get(facts.map(({ fact }) => fact).join()) ?? readingOf(facts);
  readings.set(facts.map(({ fact }) => fact).join(), read);
  return read(db, { kind, metrics: wordArray(['', ...new Set(names)]), ...given });
}

/** Whether filters ask for more than workloads. */
const asksMore = ({ workload: _, regime: _r, include, bounds, ...others }: Filters) =>
  include.length > 0 || bounds.length > 0 || Object.values(others).some((asked) => asked !== undefined);

/**
 * True if the counts of the directory are upper bounds for a question. They count accepted results of systems that name
 * all their facts, so other statuses do not qualify; nor do filters on accounts, tools and dates, which few points meet.
 */
export function isLimited(asking: Asking): boolean {
  const { filters, dimensions } = asking;
  const { include, account, tool, since, until, system, submission } = filters;
  return (
    isCounted(asking) &&
    include.length === 0 &&
    [account, tool, since, until, system, submission].every((asked) => asked === undefined) &&
    requiredFacts({ filters, dimensions }) === requiredFacts({ filters, dimensions: ['system'] })
  );
}

/** True if the counts of the directory are exact for a question. */
export function isExact(asking: Asking): boolean {
  const { filters, metrics } = asking;
  const { facts, others } = splitFacts(filters);
  return isLimited(asking) && metrics.length <= 1 && facts.length <= 1 && !asksMore(others);
}

const walkedNames: ReadonlySet<string> = new Set(walkedMetrics.map(({ name }) => name));

/** Metrics that a ranked point must have, of those with counts in the directory. */
function neededMetrics({ metrics, filters }: Asking): readonly string[] {
  const needed = [...metrics.map(({ name }) => name), ...filters.bounds.map(({ metric }) => metric)];
  const counted = [...new Set(needed)].filter((name) => walkedNames.has(name));
  return counted.length === 0 ? [''] : counted;
}

/** A workload with the systems that could be ranked in it at most. */
export interface WorkloadLimit {
  id: string;
  systems: number;
  /** Whether one formula is behind all of them, so that none is counted twice. */
  isSingle: boolean;
}

/**
 * An upper bound of the systems that can rank in each workload: the smallest count among the metrics they need.
 *
 * @param isAsked whether a formula of the first metric is one that is asked for
 */
export function limitsOf(
  directory: readonly ListedBoard[],
  asking: Asking,
  isAsked: (group: string) => boolean,
): WorkloadLimit[] {
  const [first] = asking.metrics;
  const needed = neededMetrics(asking);
  return [...Map.groupBy(directory, ({ workload }) => workload)].flatMap(([id, boards]) => {
    const systemsOf = needed.map((name) =>
      boards
        .filter(({ metric, group }) => metric === name && (name !== first?.name || isAsked(group)))
        .map(({ systems }) => systems)
        .filter((systems) => systems > 0),
    );
    const systems = Math.min(...systemsOf.map((each) => each.reduce((a, b) => a + b, 0)));
    return systems > 0 ? [{ id, systems, isSingle: systemsOf.every((each) => each.length === 1) }] : [];
  });
}
