import type { Api, Matrix } from '../../../lib/api.ts';
import { type MatrixQuery, matrixApiQuery } from './matrix-query.ts';

/** The metric that most results have, from any tool. */
const firstMetric = 'itl_ms_mean';

/** Metrics to try if the first one has few cells. The empty one is the API's default, which also covers kernels. */
const otherMetrics = ['ttft_ms_mean', 'output_tok_s_per_gpu', 'req_s', 'prefill_tok_s', ''];

/** A table with this many cells needs no other metric. */
const enoughCells = 60;

const cellsOf = ({ cells }: Matrix): number => cells.flat().filter((cell) => cell !== null).length;

/** A single row compares less than a square with the same number of cells. */
const sideOf = ({ rows, columns }: Matrix): number => Math.min(rows.headings.length, columns.headings.length);

/** Reads the matrix. Without a requested metric, it has the one with the most cells under these rows, columns and filters. */
export async function readMatrix(api: Api, query: MatrixQuery) {
  const read = (metric: string) => api.getMatrix(matrixApiQuery({ ...query, metric }));
  if (query.metric !== '') return read(query.metric);
  const first = await read(firstMetric);
  if (first.data === null || cellsOf(first.data) >= enoughCells) return first;
  const others = await Promise.all(otherMetrics.map(read));
  const found = [first, ...others].flatMap(({ data }) => data ?? []);
  const [best = first.data] = found.toSorted((a, b) => cellsOf(b) - cellsOf(a) || sideOf(b) - sideOf(a));
  return { data: best, problem: null };
}
