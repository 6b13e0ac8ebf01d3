import { describe, expect, it } from 'vitest';
import { useTestApp } from '../testing/index.ts';

interface Matrix {
  workload: { id: string } | null;
  definition: { id: string } | null;
  rows: { headings: { id: string; title: string }[] };
  columns: { headings: { id: string; title: string }[] };
  cells: ({
    value: number;
    system: { id: string; gpu: { id: string }; quantization: { id: string } };
    workload: { id: string };
  } | null)[][];
}
interface Results {
  data: {
    metrics: Record<string, number | null>;
    derived: Record<string, number | null>;
    system: { gpu_power_limit_w: number; quantization: { id: string; name: string }; gpu: { id: string } };
  }[];
}

const app = useTestApp({ sampleData: true });

describe('a matrix', () => {
  it.each([
    ['rows=quantization&columns=gpu&metric=decode_tok_s&scenario=tg128&load_level=1', 'quantization', 'gpu'],
    ['rows=model&columns=quantization&metric=prefill_tok_s', 'model', 'quantization'],
    ['metric=user_tok_s', 'model', 'gpu'],
    ['rows=gpu&metric=user_tok_s', 'gpu', 'model'],
    ['columns=workload&metric=user_tok_s', 'model', 'workload'],
  ])('of %j has the best board entry of every pair', async (query, rows, columns) => {
    const matrix = await app.get<Matrix>(`/v1/matrix?${query}`);
    expect(matrix.cells).toHaveLength(matrix.rows.headings.length);
    const filled = matrix.cells
      .flatMap((row, y) => row.map((cell, x) => ({ cell, x, y })))
      .filter(({ cell }) => cell !== null);
    expect(filled.length).toBeGreaterThan(0);
    const rankBy = /metric=(\w+)/.exec(query)?.[1] ?? 'output_tok_s_per_gpu';
    const workload = matrix.workload === null ? '' : `&workload=${matrix.workload.id}`;
    const definition = `&definition=${matrix.definition?.id}`;
    const rest = query.replace(/(?:rows|columns|metric|scenario)=\w+&?/g, '');
    for (const { cell, x, y } of filled) {
      const pair = `${rows}=${matrix.rows.headings[y]?.id}&${columns}=${matrix.columns.headings[x]?.id}`;
      const board = await app.get<{ data: { value: number }[] }>(
        `/v1/leaderboard?rank_by=${rankBy}&${pair}&${rest}${workload}${definition}`,
      );
      expect(cell?.value).toBe(board.data[0]?.value);
    }
  });

  it('has no empty rows or columns', async () => {
    const { cells } = await app.get<Matrix>('/v1/matrix?rows=gpu&columns=scenario&metric=user_tok_s');
    for (const row of cells) expect(row.some((cell) => cell !== null)).toBe(true);
    for (const x of (cells[0] ?? []).keys()) expect(cells.some((row) => row[x] !== null)).toBe(true);
  });

  it.each(['scenario', 'workload'])('by %s never mixes workloads in a column', async (columns) => {
    const matrix = await app.get<Matrix & { cells: ({ workload: { id: string } } | null)[][] }>(
      `/v1/matrix?rows=model&columns=${columns}&metric=user_tok_s`,
    );
    expect(matrix.workload).toBeNull();
    for (const x of matrix.columns.headings.keys()) {
      const ids = matrix.cells.flatMap((row) => row[x]?.workload.id ?? []);
      expect(new Set(ids).size).toBe(1);
    }
  });

  it('is empty if nothing matches', async () => {
    expect(await app.get<Matrix>('/v1/matrix?metric=output_tok_s&min_output_tok_s=1e9')).toMatchObject({
      rows: { headings: [] },
      cells: [],
    });
  });

  it('accepts some of the filters of results', async () => {
    const { data } = await app.get<Results>('/v1/results?gpu_power_limit_w=600&limit=1');
    expect(data).toHaveLength(1);
    const { cells } = await app.get<Matrix>(
      '/v1/matrix?rows=gpu&columns=load&metric=output_tok_s&gpu_power_limit_w=600',
    );
    expect(cells.length).toBeLessThanOrEqual(1);
  });

  it.each(['rows=colour', 'rows=gpu&columns=gpu', 'metric=speed', 'limit=3', 'gpu=h1000'])(
    'rejects %s',
    async (query) => {
      expect((await app.request(`/v1/matrix?${query}`)).status).toBe(422);
    },
  );
});
