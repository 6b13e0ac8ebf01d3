import { readCsv } from '@inferboard/core/adapters/reading/tables/csv';
import { ArtifactText } from '@inferboard/core/adapters/reading/text/artifact-text';
import { guarded } from '@inferboard/core/format/csv-text';
import { metricNames, metrics } from '@inferboard/core/metrics/index';
import { tableFromIPC } from 'apache-arrow';
import fc from 'fast-check';
import { readParquet } from 'parquet-wasm/node';
import { beforeAll, describe, expect, test } from 'vitest';
import { adminKey, useTestApp } from '../testing/index.ts';

const app = useTestApp({ sampleData: true });

type Row = Record<string, unknown>;
interface Figures {
  metrics: Record<string, number | null>;
  derived: Record<string, number | null>;
}

const lists = ['results', 'leaderboard', 'matrix'] as const;
type List = (typeof lists)[number];

/** Names that a spreadsheet would run as formulas, names that need quotes, and names without letters. */
beforeAll(async () => {
  for (const [i, name] of ['=HYPERLINK("#x")', '+1', '-5', '@me', "'=1", 'a,"b"', 'é ∑ 日本 🚀'].entries()) {
    const document = {
      schema: 'inferboard/v1',
      system: {
        model: 'llama-3.1-8b',
        quantization: name,
        gpu: 'H100 SXM',
        gpu_count: 2,
        engine: { name: 'vllm', version: name },
        parallelism: { tensor: 2 },
        features: { note: name, share: 0.1 },
      },
      scenario: 'chatbot',
      results: [1, 2, 3].map((repetition) => ({
        load: { mode: 'concurrency', level: 8 },
        metrics: { output_tok_s: 700 + i + 0.1 * repetition, ttft_ms_mean: 200 + repetition / 3 },
        repetition,
        measured_at: `2026-03-0${repetition}T10:00:00.12${i}Z`,
      })),
    };
    const response = await app.submit(JSON.stringify(document), {}, adminKey);
    expect(response.status).toBe(201);
  }
});

async function fetchOk(path: string): Promise<Response> {
  const response = await app.request(path);
  if (response.status !== 200) throw new Error(`GET ${path}: ${response.status} ${await response.text()}`);
  return response;
}

const readLines = async (list: List, query: string): Promise<Row[]> =>
  (await (await fetchOk(`/v1/${list}.jsonl?${query}`)).text())
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);

async function readTable(list: List, query: string) {
  const text = await (await fetchOk(`/v1/${list}.csv?${query}`)).text();
  const [heading, ...records] = readCsv(new ArtifactText(text.split('\n')), 1).map(({ cells }) => cells);
  return { heading: heading ?? [], rows: records };
}

async function readColumns(list: List, query: string) {
  const bytes = new Uint8Array(await (await fetchOk(`/v1/${list}.parquet?${query}`)).arrayBuffer());
  const table = tableFromIPC(readParquet(bytes).intoIPCStream());
  const types = Object.fromEntries(table.schema.fields.map(({ name, type }) => [name, String(type)]));
  const rows = table.toArray().map((row) => row?.toJSON() as Row);
  return { types, rows, metadata: Object.fromEntries(table.schema.metadata) };
}

/** The properties that a response states once for all entries and a file states in each row, without the alternatives. */
function sharedOf({
  rank_by_choice: _,
  metric_choice: _m,
  account: _a,
  workload: _w,
  definition,
  ...shared
}: Row): Row {
  return definition === undefined ? shared : { ...shared, definition: (definition as Row | null)?.id ?? null };
}

async function readAnswers(list: List, query: string): Promise<Row[]> {
  if (list === 'matrix') return readCells(query);
  const found: Row[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: { data: Row[]; next_cursor: string | null } & Row = await app.get(
      `/v1/${list}?${query}&full=true&limit=37${cursor === '' ? '' : `&cursor=${cursor}`}`,
    );
    const {
      data,
      next_cursor,
      excluded: _,
      excluded_at_least: _least,
      imported: _i,
      imported_at_least: _il,
      ...shared
    } = page;
    found.push(...data.map((row) => ({ ...sharedOf(shared), ...row })));
    cursor = next_cursor;
  }
  return found;
}

interface Side {
  dimension: string;
  headings: { id: string; title: string }[];
}

async function readCells(query: string): Promise<Row[]> {
  const {
    rows,
    columns,
    cells,
    excluded: _,
    excluded_at_least: _least,
    ...shared
  } = await app.get<Row & { rows: Side; columns: Side; cells: (Row | null)[][] }>(`/v1/matrix?full=true&${query}`);
  const place = ({ dimension, headings }: Side, at: number) => ({ dimension, ...headings[at] });
  return cells.flatMap((line, y) =>
    line.flatMap((cell, x) =>
      cell === null ? [] : [{ ...sharedOf(shared), row: place(rows, y), column: place(columns, x), ...cell }],
    ),
  );
}

/** A Parquet cell as the CSV would show it. */
function shown(value: unknown, type: string | undefined): string {
  if (value === null || value === undefined) return '';
  if (type?.startsWith('Timestamp')) return new Date(Number(value)).toISOString();
  return typeof value === 'string' ? guarded(value) : String(value);
}

/** The metrics of a line by column name. */
function figuresOf(list: List, line: Row): Row {
  const {
    value,
    statistics,
    rank,
    rank_spread,
    findings,
    trust,
    metrics: own,
    derived,
  } = line as Row &
    Figures & {
      rank_spread: [number, number];
      statistics: { n: number | null; mean: number; sd: number | null; median: number; ci95: [number, number] | null };
    };
  const all = Object.fromEntries(metricNames.map((name) => [name, own?.[name] ?? derived?.[name] ?? null]));
  if (list === 'results') return { ...all, trust, origin: line.origin, repetition: line.repetition };
  const { n, ci95 } = statistics;
  const shared = {
    value,
    unit: line.unit,
    n,
    ci95_low: ci95?.[0] ?? null,
    ci95_high: ci95?.[1] ?? null,
    trust,
    findings,
  };
  if (list === 'matrix') return shared;
  const [low, high] = rank_spread;
  const { mean, sd, median } = statistics;
  return { ...all, ...shared, rank, rank_low: low, rank_high: high, mean, sd, median };
}

const metricArbitrary = fc.constantFrom('output_tok_s', 'decode_tok_s', 'ttft_ms', 'itl_ms_mean', 'user_tok_s');
const filterArbitrary = fc
  .constantFrom(
    '',
    'gpu=rtx-pro-6000',
    'gpu=h100&include=quarantined',
    'load_level=1&load_level=8',
    'min_output_tok_s=50',
    'max_output_tok_s=0.001',
    'quantization=%3DHYPERLINK%28%22%23x%22%29',
  )
  .map((text) => new URLSearchParams(text));
const questionArbitrary = fc
  .record({
    list: fc.constantFrom(...lists),
    filters: filterArbitrary,
    metric: metricArbitrary,
    order: fc.option(fc.constantFrom('asc', 'desc'), { nil: undefined }),
    rows: fc.constantFrom('model', 'scenario', 'load', 'system'),
  })
  .map(({ list, filters, metric, order, rows }) => {
    const query = new URLSearchParams(filters);
    if (list === 'leaderboard') query.set('rank_by', metric);
    if (list === 'matrix') query.set('metric', metric);
    if (list === 'matrix') query.set('rows', rows);
    if (list !== 'results' && order !== undefined) query.set('order', order);
    return { list, query: query.toString() };
  });

describe('the three export formats', () => {
  test('equal the API response in every value', async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(questionArbitrary, async ({ list, query }) => {
        const [answers, lines, table, columns] = await Promise.all([
          readAnswers(list, query),
          readLines(list, query),
          readTable(list, query),
          readColumns(list, query),
        ]);
        expect(lines).toEqual(answers);
        expect(Object.keys(columns.types)).toEqual(table.heading);
        expect(columns.rows.map((row) => table.heading.map((name) => shown(row[name], columns.types[name])))).toEqual(
          table.rows,
        );
        const numbers = (row: Row) =>
          Object.fromEntries(
            Object.entries(row).map(([name, cell]) => [name, typeof cell === 'bigint' ? Number(cell) : cell]),
          );
        expect(columns.rows).toHaveLength(lines.length);
        for (const [i, line] of lines.entries()) {
          expect(numbers(columns.rows[i] ?? {})).toMatchObject(figuresOf(list, line));
        }
        compared += lines.length;
      }),
      { numRuns: 25 },
    );
    expect(compared).toBeGreaterThan(150);
  });

  test.each(lists)('of %s have one column for each metric or figure, with its unit', async (list) => {
    const { types, metadata } = await readColumns(list, '');
    const units = JSON.parse(metadata.units ?? '{}') as Record<string, string>;
    for (const [name, type] of Object.entries(types)) expect(name in units).toBe(/^(?:Int|Float)64$/.test(type));
    if (list !== 'matrix') {
      for (const { name, family } of metrics) expect(units[name]).toBe(family.unit === '' ? '1' : family.unit);
    }
    if (list !== 'results') expect(units).toMatchObject({ value: 'tok/s', n: '1', ci95_low: 'tok/s' });
    expect(metadata.query).toContain(`/v1/${list}.parquet`);
    expect(Date.parse(metadata.exported_at ?? '')).toBeGreaterThan(Date.now() - 60_000);
  });

  test('have typed columns for times and counts', async () => {
    const { types, rows } = await readColumns('results', 'engine_version=%2B1');
    expect(types).toMatchObject({
      measured_at: 'Timestamp<MILLISECOND, UTC>',
      gpu_count: 'Int64',
      repetition: 'Int64',
      load_level: 'Float64',
      output_tok_s: 'Float64',
      engine: 'Utf8',
    });
    expect(rows.map((row) => new Date(Number(row.measured_at)).toISOString()).sort()).toEqual([
      '2026-03-01T10:00:00.121Z',
      '2026-03-02T10:00:00.121Z',
      '2026-03-03T10:00:00.121Z',
    ]);
  });

  test.each(lists)('of %s contain no spreadsheet formulas, and change no other text', async (list) => {
    const query =
      list === 'results'
        ? 'gpu=h100'
        : list === 'matrix'
          ? 'rows=quantization&metric=output_tok_s'
          : 'rank_by=output_tok_s';
    const { heading, rows } = await readTable(list, query);
    const texts = rows.flat().filter((cell) => cell !== '' && Number.isNaN(Number(cell)));
    expect(texts.filter((text) => /^[=+\-@\t\r]/.test(text))).toEqual([]);
    const names = rows.map((cells) => cells[heading.indexOf('quantization')]);
    expect(names).toEqual(expect.arrayContaining([`'=HYPERLINK("#x")`, "'+1", "'-5", "'@me", "''=1", 'a,"b"']));
    const { rows: exact } = await readColumns(list, query);
    expect(exact.map((row) => row.quantization)).toEqual(expect.arrayContaining(['=HYPERLINK("#x")', "'=1", '-5']));
  });
});

describe('an export', () => {
  const paths = lists.flatMap((list) => ['csv', 'jsonl', 'parquet'].map((format) => [`${list}.${format}`, list]));

  test.each(paths)('%s has a file name, supports HEAD, and rejects like the list', async (file, list) => {
    const head = await app.request(`/v1/${file}?model=llama-2-7b`, { method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(head.headers.get('content-disposition')).toBe(`attachment; filename="${file}"`);
    for (const query of [
      'limit=5',
      'cursor=x',
      'gpu=h1000',
      'colour=red',
      list === 'matrix' ? 'rows=model&columns=model' : 'since=now',
    ]) {
      const response = await app.request(`/v1/${file}?${query}`);
      expect(response.status).toBe(422);
      expect(response.headers.get('content-type')).toBe('application/problem+json');
    }
  });

  test.each(lists)('of %s without results has only a header row', async (list) => {
    const query = 'min_output_tok_s=1e12';
    expect(await readLines(list, query)).toEqual([]);
    const table = await readTable(list, query);
    const columns = await readColumns(list, query);
    expect(table.rows).toEqual([]);
    expect(columns.rows).toEqual([]);
    expect(Object.keys(columns.types)).toEqual(table.heading);
  });

  test('states the omitted points', async () => {
    const { excluded } = await app.get<{ excluded: Record<string, number> }>('/v1/leaderboard?rank_by=ttft_ms');
    expect(excluded.missing_metric).toBeGreaterThan(0);
    const response = await fetchOk('/v1/leaderboard.csv?rank_by=ttft_ms');
    expect(JSON.parse(response.headers.get('inferboard-excluded') ?? '')).toEqual(excluded);
    const { metadata } = await readColumns('leaderboard', 'rank_by=ttft_ms');
    expect(metadata).toMatchObject({ rank_by: 'ttft_ms_mean', order: 'asc' });
    expect(JSON.parse(metadata.excluded ?? '')).toEqual(excluded);
  });
});
