import { preferredRanks } from '@inferboard/core/ranking/default-rank';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadPublicPack } from '../sample-data/sample.ts';
import { useTestApp } from '../testing/index.ts';

// The data of a fresh installation: the sample and the pack of published results.
const app = useTestApp({ sampleData: true });
beforeAll(() => loadPublicPack(app.deps));

interface Matrix {
  metric: string;
  workload: { id: string; chosen_because: string; others: { id: string; url: string }[] };
  cells: (object | null)[][];
}

const matrixOf = (query: string) => app.get<Matrix>(`/v1/matrix?${query}`);

/** The number of cells that have another cell in their row and in their column. */
function comparedCells({ cells }: Matrix): number {
  const filled = (places: readonly (object | null | undefined)[]) => places.filter((cell) => cell != null).length;
  return cells
    .flatMap((row) => row.map((cell, x) => ({ cell, row, column: cells.map((other) => other[x]) })))
    .filter(({ cell, row, column }) => cell !== null && filled(row) > 1 && filled(column) > 1).length;
}

describe('a matrix without a workload', () => {
  it.each(['', 'metric=ttft_ms_p50', 'regime=offline&metric=decode_tok_s', 'rows=quantization&columns=engine'])(
    'is of the one whose cells compare the most: %s',
    async (query) => {
      const { workload, ...matrix } = await matrixOf(query);
      expect(workload.chosen_because).toBe('most_cells');
      const compared = comparedCells({ workload, ...matrix });
      expect(compared).toBeGreaterThan(3);
      for (const { url } of workload.others) {
        const { pathname, search } = new URL(url);
        const other = await app.get<Matrix>(`${pathname}${search}`);
        const isRanked = query.includes('metric=') || preferredRanks.some((name) => name === other.metric);
        if (isRanked && !(query.includes('offline') && !other.workload.id.endsWith('offline')))
          expect(comparedCells(other), other.workload.id).toBeLessThanOrEqual(compared);
      }
    },
  );

  it('is of the one with the most systems if no other compares more', async () => {
    const { workload } = await matrixOf('model=deepseek-r1');
    expect(workload).toMatchObject({ id: '8k-1k-steady', chosen_because: 'most_systems' });
  });

  it('has the requested workload', async () => {
    const { workload } = await matrixOf('workload=8k-1k-steady');
    expect(workload).toMatchObject({ id: '8k-1k-steady', chosen_because: 'asked' });
  });

  it('has the same cells as a download', async () => {
    const { cells } = await matrixOf('');
    const csv = await (await app.request('/v1/matrix.csv')).text();
    const filled = cells.flat().filter((cell) => cell !== null).length;
    expect(csv.trim().split('\n')).toHaveLength(1 + filled);
  });
});
