/** A day of a series, in one workload and by one formula group. */
export interface CountedDay {
  workload: string;
  group: string;
  /** What the series is of. */
  key: string;
  day: string;
}

/** A workload, or a formula group, with the number of its days. */
export interface DayCount {
  id: string;
  days: number;
}

export interface TrendChoice {
  workload: string;
  group: string;
  days: number;
  /** Most days first. */
  otherWorkloads: DayCount[];
  /** Other formula groups of the same workload. */
  otherGroups: DayCount[];
}

interface Scored extends DayCount {
  /** Days of its longest series: days of different series do not make a trend. */
  longest: number;
}

const countDays = (days: readonly CountedDay[]) => new Set(days.map(({ day }) => day)).size;

function scored(days: readonly CountedDay[], idOf: (day: CountedDay) => string): Scored[] {
  return [...Map.groupBy(days, idOf)]
    .map(([id, of]) => ({
      id,
      days: countDays(of),
      longest: Math.max(...[...Map.groupBy(of, ({ key }) => key).values()].map(countDays)),
    }))
    .sort((a, b) => b.longest - a.longest || b.days - a.days || (a.id < b.id ? -1 : 1));
}

const toCounts = (list: readonly Scored[]): DayCount[] => list.map(({ id, days }) => ({ id, days }));

/** Chooses the workload whose longest series has the most days, and its formula group by the same rule. Null without days. */
export function chooseTrend(days: readonly CountedDay[]): TrendChoice | null {
  const [workload, ...otherWorkloads] = scored(days, (day) => day.workload);
  if (workload === undefined) return null;
  const inWorkload = days.filter((day) => day.workload === workload.id);
  const [group, ...otherGroups] = scored(inWorkload, (day) => day.group);
  return {
    workload: workload.id,
    group: group?.id ?? '',
    days: group?.days ?? 0,
    otherWorkloads: toCounts(otherWorkloads),
    otherGroups: toCounts(otherGroups),
  };
}
