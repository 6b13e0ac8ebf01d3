import { metricsOfBound } from '@inferboard/core/filters/bounds';
import { type FactNames, splitFacts } from '@inferboard/core/filters/fact-names';
import type { Filters } from '@inferboard/core/filters/filters';
import type { MetricName } from '@inferboard/core/metrics/index';
import { requiredFacts } from '@inferboard/core/ranking/point-count';
import { walkedMetrics } from '@inferboard/core/ranking/walked';
import { sql } from 'drizzle-orm';
import { type Prepared, value } from '../connection/statement.ts';
import type { Queryable } from '../connection/transaction.ts';
import { wordArray } from '../copy/bulk.ts';
import { preparedForMoment } from '../service/moment.ts';
import { type Asking, isCounted } from './source.ts';

/** A board of the requested kind, by workload, metric and formula. */
export interface ListedBoard {
  id: number;
  workload: string;
  /** Empty for the board that contains every point of the workload. */
  metric: MetricName | '';
  group: string;
  /** Number of systems with the requested model or GPU. If both are requested, an upper bound: the smaller of the two counts. */
  systems: number;
  /** Number of all systems on the board. */
  whole: number;
}

/** Reads the boards of some metrics with their numbers of systems for the requested facts. */
function readingOf(facts: readonly FactNames[]): Prepared<Record<string, string>, ListedBoard> {
  const ofFact = ({ fact }: FactNames) => sql`
    coalesce((
      select sum(n.systems) from board_systems n
      where n.fact = ${sql.raw(`'${fact}'`)} and n.name = any(${value(fact)}::text[]) and n.board_id = b.id), 0)::int`;
  const limits = [sql`b.systems`, ...facts.map(ofFact)];
  return preparedForMoment(sql`
    select b.id, b.workload, b.metric, b.definition_group as "group", least(${sql.join(limits, sql`, `)}) as systems,
      b.systems as whole
    from boards b
    where b.kind = ${value('kind')} and b.metric = any(${value('metrics')}::text[])`);
}

/** One prepared statement for each set of facts. */
const readings = new Map<string, Prepared<Record<string, string>, ListedBoard>>();

/** All boards of the requested and bounded metrics, and the boards that contain every point. */
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

/** Whether filters exist other than the workload. */
const asksMore = ({ workload: _, regime: _r, include, bounds, ...others }: Filters) =>
  include.length > 0 || bounds.length > 0 || Object.values(others).some((asked) => asked !== undefined);

/**
 * True if the directory's counts are upper bounds for a request. The counts cover accepted results of systems that name all
 * their facts. Requests for other statuses do not qualify, nor do filters on accounts, tools and dates, which few points meet.
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

/** True if the directory's counts are exact for a request. */
export function isExact(asking: Asking): boolean {
  const { filters, metrics } = asking;
  const { facts, others } = splitFacts(filters);
  return isLimited(asking) && metrics.length <= 1 && facts.length <= 1 && !asksMore(others);
}

const walkedNames: ReadonlySet<string> = new Set(walkedMetrics.map(({ name }) => name));

/** Metrics with directory counts that a ranked point must have. */
function neededMetrics({ metrics, filters }: Asking): readonly string[] {
  // A bound that several metrics can meet limits nothing.
  const bounded = filters.bounds.filter((bound) => metricsOfBound(bound).length === 1);
  const needed = [...metrics.map(({ name }) => name), ...bounded.map(({ metric }) => metric)];
  const counted = [...new Set(needed)].filter((name) => walkedNames.has(name));
  return counted.length === 0 ? [''] : counted;
}

/** A workload with an upper bound of its rankable systems. */
export interface WorkloadLimit {
  id: string;
  systems: number;
  /** Whether one formula accounts for all systems, so that none is counted twice. */
  isSingle: boolean;
}

/**
 * An upper bound of the rankable systems of each workload: the smallest count among the required metrics.
 *
 * @param isAsked whether a formula of the first metric is requested
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
