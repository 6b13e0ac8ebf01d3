import { ask, compareKeys, isNear } from './ask.ts';
import { withinAccount } from './best.ts';
import { takeCensus } from './census.ts';
import { toQuery, workloadOf } from './filters.ts';
import type { World } from './lists.ts';
import { familyOf, type Standing } from './points.ts';
import { makeDefinition, makeFilters, servingMetrics, spoken } from './questions.ts';
import type { Random } from './random.ts';
import { betterFirst, type ChoiceView, compareChoice, nonZero, subjects } from './rankings.ts';
import type { ResultView } from './rows.ts';

/** Rows and columns of a matrix, in addition to the subjects of a ranking. */
const sides: Record<string, (standing: Standing) => string> = {
  ...Object.fromEntries(Object.entries(subjects).map(([name, { of }]) => [name, of])),
  model_family: ({ first: { facts } }) => facts.model.family ?? facts.model.text.toLowerCase(),
  gpu_count: ({ first: { facts } }) => String(facts.gpuCount),
  scenario: ({ first }) => first.scenario.id,
  workload: ({ first }) => workloadOf(first),
  load: ({ first: { load } }) => `${load.mode} ${load.level ?? ''}`,
};

interface MatrixView {
  workload: ChoiceView | null;
  definition: ChoiceView | null;
  account: { id: string; name: string } | null;
  order: string;
  rows: { headings: { id: string }[] };
  columns: { headings: { id: string }[] };
  cells: ({
    value: number;
    statistics: { n: number | null; ci95: [number, number] | null };
    system: { id: string };
    scenario: ResultView['scenario'];
    load: ResultView['load'];
  } | null)[][];
  excluded: Record<string, number>;
}

/** The best point of every row and column: a ranking with pairs as subjects. */
export async function checkMatrix(world: World, random: Random): Promise<string[]> {
  const { app, rows } = world;
  const filters = makeFilters(random, rows);
  const metric = random.pick(servingMetrics);
  const [down = 'model', across = 'gpu'] = random.some(Object.keys(sides), 2);
  const order = random.pick([undefined, 'asc', 'desc'] as const);
  const definition = makeDefinition(random, metric);
  const view = await ask<MatrixView>(app, '/v1/matrix', [
    ['rows', down],
    ['columns', across],
    ['metric', spoken(random, metric)],
    ...(order === undefined ? [] : ([['order', order]] as const)),
    ...(definition === null ? [] : ([['definition', definition]] as const)),
    ...toQuery(filters),
  ]);
  const sidesOf = (standing: Standing): [string, string] => [
    sides[down]?.(standing) ?? '',
    sides[across]?.(standing) ?? '',
  ];
  const { board, account } = withinAccount(world, {
    rankBy: metric,
    order: order ?? betterFirst(metric),
    filters,
    definition,
    dimensions: [down, across],
    subjectOf: (standing) => JSON.stringify(sidesOf(standing)),
    sidesOf,
  });
  const cells = view.cells.flatMap((row, y) =>
    row.flatMap((cell, x) => {
      const key = JSON.stringify([view.rows.headings[y]?.id, view.columns.headings[x]?.id]);
      return cell === null ? [] : [{ key, cell }];
    }),
  );
  const differences = compareKeys(
    'matrix',
    cells.map(({ key }) => key),
    [...board.entries.keys()],
  );
  differences.push(
    ...compareChoice('matrix definition', view.definition, board.definition, board.definitionOthers),
    ...compareChoice('matrix workload', view.workload, board.workload?.id ?? null, board.workloadOthers),
  );
  if ((view.account?.id ?? null) !== (account?.id ?? null))
    differences.push(`matrix: of account ${view.account?.name}, not ${account?.name}`);
  if (nonZero(view.excluded) !== nonZero(board.excluded))
    differences.push(`matrix: excludes ${nonZero(view.excluded)}, not ${nonZero(board.excluded)}`);
  const isBare = [...view.cells, ...view.columns.headings.map((_, x) => view.cells.map((row) => row[x] ?? null))].some(
    (line) => line.every((cell) => cell === null),
  );
  if (isBare) differences.push('matrix: a row or a column of nothing');
  for (const { key, cell } of cells) {
    const entry = board.entries.get(key);
    if (entry === undefined) continue;
    const { value, statistics, system, scenario, load } = cell;
    if (!isNear(value, entry.value)) differences.push(`matrix ${key}: ${value}, not ${entry.value}`);
    const point = JSON.stringify([system.id, 'serving', scenario, load]);
    const equals = entry.equals.filter(({ standing }) => standing.first.place === point);
    const isOne = equals.some(
      ({ figure: { n, ci95, mean } }) => n === statistics.n && isNear(ci95?.[0], statistics.ci95?.[0], Math.abs(mean)),
    );
    if (!isOne) differences.push(`matrix ${key}: ${JSON.stringify(statistics)} at ${point}`);
  }
  return differences;
}

interface ParetoView {
  x: { metric: string; better: string; definition: ChoiceView | null };
  y: { metric: string; better: string; definition: ChoiceView | null };
  workload: ChoiceView | null;
  data: {
    on_frontier: boolean;
    x: number;
    y: number;
    system: { id: string };
    scenario: ResultView['scenario'];
    load: ResultView['load'];
  }[];
  excluded: Record<string, number>;
}

/** Maximum number of returned points outside the frontier. */
const othersMax = 1000;

/** Points by two metrics and their frontier, found by comparing all pairs. */
export async function checkPareto({ app, rows, standings }: World, random: Random): Promise<string[]> {
  const filters = makeFilters(random, rows);
  const [x, y] = random.some(servingMetrics, 2) as [string, string];
  const view = await ask<ParetoView>(app, '/v1/pareto', [
    ['x', spoken(random, x)],
    ['y', spoken(random, y)],
    ...toQuery(filters),
  ]);
  const census = takeCensus(standings, {
    kind: 'serving',
    metrics: [x, y],
    filters,
    definition: null,
    dimensions: ['system'],
  });
  const points = census.taking.flatMap(({ standing, variants: [variant] }) => {
    const [fx, fy] = [variant?.figures[x], variant?.figures[y]];
    return fx === undefined || fy === undefined ? [] : [{ standing, x: fx.mean, y: fy.mean }];
  });
  const signOf = (metric: string) => (familyOf(metric).direction === 'lower' ? -1 : 1);
  const [sx, sy] = [signOf(x), signOf(y)];
  const beats = (a: (typeof points)[number], b: (typeof points)[number]) =>
    sx * a.x >= sx * b.x && sy * a.y >= sy * b.y && (a.x !== b.x || a.y !== b.y);
  const keyOf = (point: string, px: number, py: number, isOn: boolean) =>
    [point, px.toPrecision(9), py.toPrecision(9), isOn].join(' ');
  const wanted = points.map((point) => {
    const isOn = !points.some((other) => beats(other, point));
    return keyOf(point.standing.first.place, point.x, point.y, isOn);
  });
  const found = view.data.map((point) =>
    keyOf(
      JSON.stringify([point.system.id, 'serving', point.scenario, point.load]),
      point.x,
      point.y,
      point.on_frontier,
    ),
  );
  const differences: string[] = [];
  if (points.length <= othersMax) {
    const counted = (keys: string[]) =>
      [...Map.groupBy(keys, (key) => key)].map(([key, { length }]) => `${key} ${length}`);
    differences.push(...compareKeys('pareto', counted(found), counted(wanted)));
  }
  const { groups, groupOthers, workload, workloadOthers } = census;
  differences.push(
    ...compareChoice('pareto x', view.x.definition, groups[0] ?? null, groupOthers[0] ?? []),
    ...compareChoice('pareto y', view.y.definition, groups[1] ?? null, groupOthers[1] ?? []),
    ...compareChoice('pareto workload', view.workload, workload?.id ?? null, workloadOthers),
  );
  const excluded = {
    ...census.excluded,
    beyond_limit: Math.max(0, points.length - found.length),
  };
  if (nonZero(view.excluded) !== nonZero(excluded))
    differences.push(`pareto: excludes ${nonZero(view.excluded)}, not ${nonZero(excluded)}`);
  const isByX = view.data.every((point, place) => place === 0 || (view.data[place - 1]?.x ?? 0) <= point.x);
  if (!isByX) differences.push('pareto: not by x');
  return differences;
}
