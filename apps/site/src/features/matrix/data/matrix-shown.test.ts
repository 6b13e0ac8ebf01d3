import { expect, test } from 'vitest';
import { contextOf, shownParts } from './matrix-view.ts';
import { foldedTables, shownKin, shownOverview } from './ranking-shown.ts';

test('a matrix shows its fullest columns and rows first, and all on request', () => {
  // Two groups of workloads without common rows: the larger one is shown, and the most complete rows.
  const cells = Array.from({ length: 40 }, (_, row) =>
    Array.from({ length: 20 }, (__, column) => (row < 16 === column < 5 && row !== 20 && column !== 19 ? 1 : null)),
  );
  const { rows, columns } = shownParts(cells, 20, false);
  expect(columns).toEqual([5, 6, 7, 8, 9, 10]);
  expect(rows).toEqual([16, 17, 18, 19, ...Array.from({ length: 11 }, (_, at) => at + 21)]);
  const whole = shownParts(cells, 20, true);
  expect([whole.rows.length, whole.columns.length]).toEqual([40, 20]);
});

test('a small matrix is complete', () => {
  expect(
    shownParts(
      [
        [null, 1],
        [1, 1],
      ],
      2,
      false,
    ),
  ).toEqual({ rows: [0, 1], columns: [1, 0] });
});

test('of columns with as many cells, those of results without a stated variant are last', () => {
  const cells = [[1, null, null, 1, 1, 1, 1, 1, 1]];
  expect(shownParts(cells, 9, false, new Set([3])).columns).toEqual([0, 4, 5, 6, 7, 8]);
  expect(shownParts(cells, 9, false).columns).toEqual([0, 3, 4, 5, 6, 7]);
});

test('the overview of speed-ups omits empty columns and rows', () => {
  const row = (...cells: ('baseline' | null)[]) => ({
    title: '',
    quantization: null,
    hardware: '',
    detail: null,
    cells,
  });
  const columns = [
    { title: 'a', load: '' },
    { title: 'b', load: '' },
  ];
  const overview = [row(null, 'baseline'), row(null, null)];
  const shown = shownOverview({ columns, overview, comparable: 2 }, false);
  expect(shown.columns.map(({ title }) => title)).toEqual(['b']);
  expect([shown.rows.length, shown.hidden]).toEqual([1, 1]);
});

test('the page links long tables, so that it sends and compares only short ones', () => {
  const tables = [50, 7, 7, 7, 7, 7].map((count) => ({ rows: Array(count) }));
  const { open, folded, linked } = foldedTables(tables, false);
  expect([open, folded, linked].map((list) => list.map(({ rows }) => rows.length))).toEqual([[7, 7, 7, 7], [7], [50]]);
  expect(foldedTables(tables, true).open).toEqual(tables);
});

test('only groups that the page shows are compared', () => {
  type Kin = Parameters<typeof shownKin>[0];
  const groups = Array.from({ length: 20 }, (_, at) => ({
    baseline: { id: `base${at}` },
    others: [{ id: `other${at}` }],
  })) as unknown as Kin; // only the ids count
  const shown = shownKin(groups, new Set(['other15', 'base18']));
  expect(shown.map(({ baseline }) => baseline.id)).toEqual([
    ...['base0', 'base1', 'base2', 'base3', 'base4', 'base5', 'base6'],
    'base15',
  ]);
});

test('a cell of a GPU states how many GPUs and which engine it has', () => {
  const cell = (count: number | null) =>
    ({
      system: {
        gpu_count: count,
        model: { name: 'GLM 4.5 Air' },
        quantization: { id: 'awq-int4', name: 'awq', title: 'AWQ INT4', recipe: null },
        engine: { name: 'vllm', title: 'vLLM 0.11.0' },
      },
      scenario: { id: 'chatbot' },
      load: { mode: 'concurrency', level: 400 },
    }) as unknown as Parameters<typeof contextOf>[0]; // only the facts of a cell
  const shown = new Set(['model', 'gpu', 'workload']);
  expect(contextOf(cell(4), shown)).toBe('AWQ INT4 · 4 GPUs · vLLM 0.11.0 · 400 concurrent');
  expect(contextOf(cell(1), shown)).toBe('AWQ INT4 · vLLM 0.11.0 · 400 concurrent');
  expect(contextOf(cell(4), new Set([...shown, 'gpu_count', 'engine']))).toBe('AWQ INT4 · 400 concurrent');
});
