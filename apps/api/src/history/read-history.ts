import type { Filters } from '@inferboard/core/filters/filters';
import type { Metric } from '@inferboard/core/metrics/index';
import { sumUp, timeOf } from '@inferboard/core/series/change-figures';
import { orderVersions } from '@inferboard/core/series/change-versions';
import { trustLevels } from '@inferboard/core/subjects/result';
import type { SystemRow } from '@inferboard/db/boards/lists/row-types';
import { listFirstMeasured } from '@inferboard/db/history/first-measured';
import { listLineage } from '@inferboard/db/history/history-lineage';
import { type HistoryPlace, listHistoryPlaces, type PlaceCursor } from '@inferboard/db/history/history-places';
import { listReadings, type PointReading } from '@inferboard/db/history/history-readings';
import type { Deps } from '../deps.ts';
import { instant, viewLoad, viewScenario, viewSystem, viewWorkload } from '../views.ts';

/** The grouping of the values in a series. */
export const historySteps = ['version', 'month', 'result'] as const;
export type HistoryStep = (typeof historySteps)[number];

export interface HistoryQuestion {
  systemId: string;
  metric: Metric;
  by: HistoryStep;
  filters: Filters;
  limit: number;
  after: PlaceCursor | null;
}

/** Maximum number of results read per request, shared by all points; each point gets its newest results. */
const readingsMax = 50_000;
const [shareMin, shareMax] = [20, 1000];

/** Maximum number of results per point, for a given number of points. */
function readingsShare(points: number): number {
  return Math.max(shareMin, Math.min(shareMax, Math.floor(readingsMax / Math.max(1, points))));
}

/** A reading with the position of its version in the lineage. */
interface Dated extends PointReading {
  system: SystemRow;
  version: number;
}

const monthOf = (reading: PointReading) => new Date(timeOf(reading)).toISOString().slice(0, 7);

/** The group key of a reading, and its sort order. */
const keys: Record<HistoryStep, (reading: Dated) => [string, number]> = {
  version: ({ version }) => ['', version],
  month: (reading) => [monthOf(reading), reading.version],
  result: (reading) => [`${new Date(timeOf(reading)).toISOString()} ${reading.id}`, reading.version],
};

function viewValue(readings: readonly Dated[], by: HistoryStep) {
  const [first] = readings;
  const summed = sumUp(readings);
  if (first === undefined || summed === null) return [];
  const { n, mean, sd, ci95, results, definition, measuredAt, createdAt } = summed;
  return [
    {
      system_id: first.system.id,
      engine_version: first.system.engine_version,
      month: by === 'month' ? monthOf(first) : null,
      result_id: by === 'result' ? first.id : null,
      submission_id: by === 'result' ? first.submissionId : null,
      n,
      mean,
      sd,
      ci95,
      results,
      definition,
      trust: trustLevels.find((level) => readings.some(({ trust }) => trust === level)) ?? first.trust,
      at: instant(measuredAt?.[1] ?? createdAt[1]),
      at_is: measuredAt === null ? ('stored' as const) : ('measured' as const),
      measured_at: measuredAt && instant(measuredAt[1]),
      created_at: instant(createdAt[1]),
    },
  ];
}

function viewPlace(place: HistoryPlace, byPoint: Map<number, Dated[]>, by: HistoryStep, share: number) {
  const ofPoints = place.points.map(({ id }) => byPoint.get(id) ?? []);
  const readings = ofPoints.flat().filter(({ definition }) => definition === place.definition);
  const groups = [...Map.groupBy(readings, (reading) => JSON.stringify(keys[by](reading)))].map(([, of]) => of);
  const keyed = groups.flatMap((of) => of.slice(0, 1).map((first) => ({ of, key: keys[by](first) })));
  keyed.sort((a, b) => (a.key[0] < b.key[0] ? -1 : Number(a.key[0] > b.key[0])) || a.key[1] - b.key[1]);
  return {
    kind: place.load.kind,
    scenario: viewScenario(place.scenario),
    workload: viewWorkload(place.load, place.scenario),
    load: viewLoad(place.load),
    definition: place.definition,
    values: keyed.flatMap(({ of }) => viewValue(of, by)),
    truncated: ofPoints.some((of) => of.length >= share),
  };
}

/**
 * The history of a metric across the versions of a system's engine, at every scenario and load. It covers the systems with
 * otherwise equal facts. Values of different formulas are never combined. Null if there is no such system.
 */
export async function readHistory(deps: Deps, question: HistoryQuestion) {
  const { systemId, metric, by, filters } = question;
  const { db } = deps.database;
  const systems = await listLineage(db, systemId);
  const system = systems.find(({ id }) => id === systemId);
  if (system === undefined) return null;
  const first = await listFirstMeasured(
    db,
    systems.map(({ id }) => id),
  );
  const versions = orderVersions(
    systems.map((row) => ({ ...row, version: row.engine_version, since: first.get(row.id) ?? row.created_at })),
  );
  const places = await listHistoryPlaces(db, {
    ...question,
    systemIds: versions.map(({ id }) => id),
    limit: question.limit + 1,
  });
  const page = places.slice(0, question.limit);
  const owners = new Map(page.flatMap(({ points }) => points.map(({ id, system_id }) => [id, system_id] as const)));
  const placeOf = new Map(versions.map((row, version) => [row.id, { system: row, version }]));
  const perPoint = readingsShare(owners.size);
  const readings = await listReadings(db, { pointIds: [...owners.keys()], metric, filters, perPoint });
  const dated = readings.flatMap((reading): Dated[] => {
    const owner = placeOf.get(owners.get(reading.pointId) ?? '');
    return owner === undefined ? [] : [{ ...reading, ...owner }];
  });
  const byPoint = Map.groupBy(dated, ({ pointId }) => pointId);
  const last = places.length > question.limit ? page.at(-1) : undefined;
  const [lastPoint] = last?.points ?? [];
  return {
    system: viewSystem(system, deps.publicUrl),
    metric: metric.name,
    unit: metric.family.unit,
    better: metric.family.direction,
    by,
    versions: versions.map((row) => ({
      system_id: row.id,
      engine_version: row.engine_version,
      created_at: instant(row.created_at),
      links: viewSystem(row, deps.publicUrl).links,
    })),
    data: page.map((place) => viewPlace(place, byPoint, by, perPoint)),
    next:
      last === undefined || lastPoint === undefined
        ? null
        : ({ pointId: lastPoint.id, definition: last.definition ?? '' } satisfies PlaceCursor),
  };
}
