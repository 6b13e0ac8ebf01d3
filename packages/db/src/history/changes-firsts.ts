import type { Metric } from '@inferboard/core/metrics/index';
import { sumUp } from '@inferboard/core/series/change-figures';
import type { Queryable } from '../connection/transaction.ts';
import type { ContestedOpening } from './changes-openings.ts';
import { type Contender, listRivals, type Rival } from './changes-rivals.ts';

const isBetter = ({ family }: Metric, a: number, b: number) => (family.direction === 'lower' ? a < b : a > b);

/** Openings that may have taken first place, by result. For each submission, at most the best opening by each formula. */
function findContenders(openings: readonly ContestedOpening[], metric: Metric): Map<Contender, ContestedOpening> {
  const best = new Map<string, [Contender, ContestedOpening]>();
  for (const opening of openings) {
    const { opener, pointId, definition, contest, readings, before } = opening;
    const value = sumUp([...before, ...readings])?.mean;
    if (value === undefined || opener.status !== 'accepted') continue;
    const key = JSON.stringify([opener.submissionId, contest, definition]);
    const other = best.get(key)?.[0];
    if (other !== undefined && !isBetter(metric, value, other.value)) continue;
    best.set(key, [{ resultId: opener.id, pointId, submissionId: opener.submissionId, definition, value }, opening]);
  }
  return new Map(best.values());
}

/** True if the point took first place that day, from another system. */
function isFirstNow({ before }: ContestedOpening, contender: Contender, rival: Rival, metric: Metric): boolean {
  if (rival.isBeside || rival.isOwn || !isBetter(metric, contender.value, rival.value)) return false;
  const earlier = sumUp(before);
  return earlier === null || !isBetter(metric, earlier.mean, rival.value);
}

/**
 * The points that openings displaced from first place for their model, GPU and scenario, by the opening result. A point that
 * was the only one, or already first, displaces none.
 */
export async function findFirsts(
  db: Queryable,
  openings: readonly ContestedOpening[],
  metric: Metric,
): Promise<Map<string, number>> {
  const contenders = findContenders(openings, metric);
  if (contenders.size === 0) return new Map();
  const rivals = await listRivals(db, { contenders: [...contenders.keys()], metric });
  const rivalOf = new Map(rivals.map((rival) => [rival.of, rival]));
  return new Map(
    [...contenders].flatMap(([contender, opening]) => {
      const rival = rivalOf.get(contender.resultId);
      const isFirst = rival !== undefined && isFirstNow(opening, contender, rival, metric);
      return isFirst ? [[contender.resultId, rival.pointId] as const] : [];
    }),
  );
}
