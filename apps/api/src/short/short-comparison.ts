import type { ComparedPoint } from '../history/compare-systems.ts';

type Figure = NonNullable<ComparedPoint['metrics'][number]['figures'][number]>;

type WithoutNulls<T> = { [K in keyof T]?: NonNullable<T[K]> };

/** Drops null fields. */
const withoutNulls = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as WithoutNulls<T>;

const shortFigure = ({ value, n, ci95, definition, compared }: Figure) => ({
  ...{ value, n },
  ...withoutNulls({ ci95, definition, compared: compared && withoutNulls(compared) }),
});

/** A point of a comparison with the known fields of each metric. */
export const shortComparedPoint = ({ kind, scenario, workload, load, metrics }: ComparedPoint) => ({
  kind,
  scenario: { id: scenario.id },
  workload: { id: workload.id },
  load: { mode: load.mode, level: load.level },
  metrics: metrics.map(({ figures, ...metric }) => ({
    ...metric,
    figures: figures.map((figure) => figure && shortFigure(figure)),
  })),
});
