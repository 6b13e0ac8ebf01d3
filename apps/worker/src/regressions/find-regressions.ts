import { type Metric, type MetricName, metrics } from '@inferboard/core/metrics/index';
import { listPointFacts, type PointFacts } from '@inferboard/db/boards/lists/point-facts';
import type { Queryable } from '@inferboard/db/connection/transaction';
import { type FoundChange, judgeOpenings, readComparable } from '@inferboard/db/history/changes-judge';
import { listOpenings, type Opening } from '@inferboard/db/history/changes-openings';
import { listMeasuredMetrics, listTouchedPoints } from '@inferboard/db/history/changes-touched';
import type { PointReading } from '@inferboard/db/history/history-readings';

/** One side of a comparison. */
interface Side {
  system_id: string;
  engine_version: string | null;
  /** Number of repetitions; null if unknown. */
  n: number | null;
  /** In the metric's unit, like `sd` and `ci95`. */
  mean: number;
  sd: number | null;
  ci95: [number, number] | null;
}

/** A metric that got worse, with the fields of GET /v1/changes. */
export interface Regression {
  metric: MetricName;
  unit: string;
  /** The formula of both sides; null if the metric has one formula. */
  definition: string | null;
  /** `version`: compared with the previous version of the engine. `day`: compared with all earlier days of the same system. */
  type: 'version' | 'day';
  verdict: 'regression';
  /** Relative change, where positive is better; a fraction below 0. */
  effect: number | null;
  /** 95 % interval of new over old. */
  interval: [number, number] | null;
  system_id: string;
  scenario: { id: string; input_tokens: number | null; output_tokens: number | null; dataset: string | null };
  load: { mode: string; level: number | null; burstiness: number | null; max_concurrency: number | null };
  before: Side;
  after: Side;
  /** The result that identifies the change in GET /v1/changes: the first of its day. */
  result_id: string;
}

/** Metrics that GET /v1/changes compares: those with a better direction. */
const compared = metrics.filter(({ family }) => family.direction !== 'neutral');

/** Points whose readings are in memory at once. */
const pointsAtOnce = 200;

const types = ['version', 'day'] as const;
type ReportedChange = FoundChange & Pick<Regression, 'type' | 'verdict'>;

const isReported = (change: FoundChange): change is ReportedChange =>
  change.verdict === 'regression' && types.some((type) => type === change.type);

const keyOf = ({ resultId, type }: FoundChange) => `${resultId} ${type}`;

/** Readings that enter the verdict on a day. For the first day all readings, because a version is judged by all of them. */
const judgedOf = ({ before, readings, all }: Opening) => (before.length === 0 ? all : readings);

async function regressionsOf(db: Queryable, openings: readonly Opening[], metric: Metric): Promise<ReportedChange[]> {
  return (await judgeOpenings(db, openings, { metric, types, include: [] })).filter(isReported);
}

/** Regressions at points among the selected readings, except those that earlier submissions showed without them. */
interface Asked {
  isMeant(reading: PointReading): boolean;
  /** Stored earlier. Later readings have a separate check. */
  isEarlier(reading: PointReading): boolean;
}

async function findNew(
  db: Queryable,
  pointIds: readonly number[],
  metric: Metric,
  { isMeant, isEarlier }: Asked,
): Promise<ReportedChange[]> {
  const readings = await readComparable(db, { metric, types, include: [] }, pointIds);
  const touched = listOpenings(readings).filter((opening) => judgedOf(opening).some(isMeant));
  const found = await regressionsOf(db, touched, metric);
  if (found.length === 0) return [];
  const results = new Set(found.map(({ resultId }) => resultId));
  const earlier = listOpenings(readings.filter(isEarlier));
  const known = await regressionsOf(
    db,
    earlier.filter(({ opener }) => results.has(opener.id)),
    metric,
  );
  const isKnown = new Set(known.map(keyOf));
  return found.filter((change) => !isKnown.has(keyOf(change)));
}

function toSide({ n, mean, sd, ci95 }: FoundChange['fresh'], { system }: PointFacts): Side {
  return { system_id: system.id, engine_version: system.engine_version, n, mean, sd, ci95 };
}

function toRegression(change: ReportedChange, metric: Metric, facts: ReadonlyMap<number, PointFacts>): Regression[] {
  const [fresh, before] = [facts.get(change.fresh.pointId), facts.get(change.before.pointId)];
  if (fresh === undefined || before === undefined) return [];
  const { scenario, load, system } = fresh;
  const { type, verdict, effect, interval } = change;
  return [
    {
      metric: metric.name,
      unit: metric.family.unit,
      definition: change.fresh.definition,
      ...{ type, verdict, effect, interval },
      system_id: system.id,
      scenario: {
        id: scenario.name,
        input_tokens: scenario.input_tokens,
        output_tokens: scenario.output_tokens,
        dataset: scenario.dataset,
      },
      load: {
        mode: load.load_mode,
        level: load.load_level,
        burstiness: load.load_detail.burstiness ?? null,
        max_concurrency: load.load_detail.maxConcurrency ?? null,
      },
      before: toSide(change.before, before),
      after: toSide(change.fresh, fresh),
      result_id: change.resultId,
    },
  ];
}

/**
 * Finds the regressions caused by stored submissions, by the rules of GET /v1/changes, sorted by metric and point. Excludes
 * regressions that existed on that day without them, so that an hourly schedule reports a bad day once.
 */
export async function findRegressions(db: Queryable, submissionIds: readonly string[]): Promise<Regression[]> {
  const meant = new Set(submissionIds);
  const [first = ''] = [...submissionIds].sort();
  const asked: Asked = {
    isMeant: ({ submissionId }) => meant.has(submissionId),
    isEarlier: ({ submissionId }) => submissionId < first,
  };
  const points = await listTouchedPoints(db, submissionIds);
  const regressions: Regression[] = [];
  const measured = await listMeasuredMetrics(db, submissionIds);
  for (const metric of compared.filter(({ name }) => measured.has(name))) {
    for (let start = 0; start < points.length; start += pointsAtOnce) {
      const found = await findNew(db, points.slice(start, start + pointsAtOnce), metric, asked);
      if (found.length === 0) continue;
      const facts = await listPointFacts(db, [
        ...new Set(found.flatMap(({ fresh, before }) => [fresh.pointId, before.pointId])),
      ]);
      regressions.push(...found.flatMap((change) => toRegression(change, metric, facts)));
    }
  }
  return regressions;
}
