import type { UsedFact } from '@inferboard/core/filters/fact-names';
import type { Filters } from '@inferboard/core/filters/filters';
import type { Metric } from '@inferboard/core/metrics/index';
import { askedGroups } from '@inferboard/core/ranking/formulas';
import { unspecifiedReasons } from '@inferboard/core/ranking/named-facts';
import { markBests, thinned } from '@inferboard/core/series/best-so-far';
import { sumUp } from '@inferboard/core/series/change-figures';
import { chooseTrend, type DayCount } from '@inferboard/core/series/trend-choice';
import { listPointFacts, type PointFacts } from '@inferboard/db/boards/lists/point-facts';
import type { SystemRow } from '@inferboard/db/boards/lists/row-types';
import { listTrendDays, type TrendDay, type TrendOmission } from '@inferboard/db/history/trend-days';
import { listSourcedReadings, type SourcedReading } from '@inferboard/db/history/trend-readings';
import { namesWorkload, otherwise, workloadNames } from '../boards/choice-views.ts';
import type { Deps } from '../deps.ts';
import { shortLoad, shortSystem } from '../short/short-views.ts';
import { viewLoad, viewSystem, viewWorkload } from '../views.ts';
import { seriesMax, valuesMax } from './trend-schema.ts';

export interface TrendQuestion {
  metric: Metric;
  better: 'higher' | 'lower';
  by: UsedFact;
  filters: Filters;
  definition: string | null;
  isFull: boolean;
}

/** Maximum number of alternatives in a response. */
const othersMax = 20;

/** Points without a place, by reason. */
function viewOmitted(omitted: readonly TrendOmission[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const { unnamed, points } of omitted) {
    const reason = unspecifiedReasons.find((_, at) => (unnamed & (1 << at)) !== 0) ?? 'undated';
    counts.set(reason, (counts.get(reason) ?? 0) + points);
  }
  return Object.fromEntries(counts);
}

/** The id and title of what a series is of. */
function viewSubject(by: UsedFact, row: SystemRow, key: string, base: string): { id: string; title: string } {
  const system = viewSystem(row, base);
  if (by === 'quantization') return { id: key, title: key };
  const { id, title } = system[by];
  const bare = by === 'engine' && row.engine_version !== null ? title.replace(row.engine_version, '').trim() : title;
  return { id: id ?? key, title: bare };
}

interface Answering {
  question: TrendQuestion;
  facts: ReadonlyMap<number, PointFacts>;
  readings: ReadonlyMap<string, SourcedReading>;
  base: string;
}

/** A day with its figures; empty if its results were removed since. */
function viewDay({ day, dayIs, pointId, resultIds }: TrendDay, { question, facts, readings, base }: Answering) {
  const found = facts.get(pointId);
  const of = resultIds.flatMap((id) => readings.get(id) ?? []);
  const [first] = of;
  const summed = sumUp(of);
  if (found === undefined || first === undefined || summed === null) return [];
  const { system, load } = found;
  return [
    {
      ...{ day, day_is: dayIs, value: summed.mean, n: summed.n, ci95: summed.ci95 },
      system: question.isFull ? viewSystem(system, base) : shortSystem(system),
      load: question.isFull ? viewLoad(load) : shortLoad(load),
      ...{ trust: first.trust, source: first.source },
      links: {
        system: `${base}/v1/systems/${system.id}`,
        page: `${base}/submissions/${first.submissionId}#${first.id}`,
      },
    },
  ];
}

function viewSeries(days: readonly TrendDay[], answering: Answering) {
  const { question, facts, base } = answering;
  const [first] = days;
  const found = first && facts.get(first.pointId);
  const marked = markBests(
    days.flatMap((day) => viewDay(day, answering)),
    question.better,
  );
  const best = marked.findLast(({ isBest }) => isBest);
  if (first === undefined || found === undefined || best === undefined) return [];
  const values = thinned(marked, valuesMax).map(({ isBest, ...value }) => ({ ...value, is_best: isBest }));
  return [{ ...viewSubject(question.by, found.system, first.key, base), best: best.value, values }];
}

const viewOthers = (list: readonly DayCount[], url: (id: string) => string) =>
  list.slice(0, othersMax).map(({ id, days }) => ({ id, days, url: url(id) }));

/**
 * The best figure of each day by one metric, in one workload and by comparable formulas, as a series for each model, GPU or other
 * fact, and which of them were the best so far.
 */
export async function readTrend(deps: Deps, question: TrendQuestion, asked: URLSearchParams) {
  const { metric, by, filters, definition } = question;
  const { db } = deps.database.reads;
  const base = deps.publicUrl;
  const [askedGroup = null] = askedGroups([metric], definition);
  const { days: all, omitted } = await listTrendDays(db, { metric, by, filters });
  const isAsked = ({ group }: { group: string }) => askedGroup === null || group === askedGroup.group;
  const chosen = chooseTrend(all.filter(isAsked));
  const isChosen = (of: { workload: string; group: string }) =>
    of.workload === chosen?.workload && of.group === chosen.group;
  const days = all.filter(isChosen);
  const [facts, readings] = await Promise.all([
    listPointFacts(
      db,
      days.map(({ pointId }) => pointId),
    ),
    listSourcedReadings(db, { ids: days.flatMap(({ resultIds }) => resultIds), metric }),
  ]);
  const sign = question.better === 'higher' ? -1 : 1;
  const series = [...Map.groupBy(days, ({ key }) => key).values()]
    .flatMap((of) => viewSeries(of, { question, facts, readings, base }))
    .sort((a, b) => sign * (a.best - b.best) || (a.id < b.id ? -1 : 1));
  const place = days.flatMap(({ pointId }) => facts.get(pointId) ?? [])[0];
  const self = `${base}/v1/trends`;
  return {
    metric: metric.name as string,
    unit: metric.family.unit as string,
    better: question.better,
    by,
    workload:
      place === undefined || chosen === null
        ? null
        : {
            ...viewWorkload(place.load, place.scenario),
            chosen_because: namesWorkload(filters, chosen.workload) ? ('asked' as const) : ('most_days' as const),
            others: viewOthers(chosen.otherWorkloads, otherwise(self, asked, 'workload', workloadNames)),
          },
    definition:
      chosen === null || chosen.group === ''
        ? null
        : {
            id: chosen.group,
            others: viewOthers(chosen.otherGroups, otherwise(self, asked, 'definition')).filter(({ id }) => id !== ''),
          },
    days: new Set(days.map(({ day }) => day)).size,
    series: series.length,
    data: series.slice(0, seriesMax),
    // Without a value, they are the reason.
    excluded: viewOmitted(omitted.filter(chosen === null ? isAsked : isChosen)),
  };
}
