import { expect, test } from 'vitest';
import { axisOf } from '../axes.ts';
import { readState } from '../state.ts';
import { drawExplorer } from './drawing.ts';

type Measured = Parameters<typeof drawExplorer>[0][number];

const point = (level: number, x: number, y: number) =>
  ({
    ...{ x, y, load: { mode: 'concurrency', level }, sources: [] },
    system: {
      ...{
        id: `sys_${level}`,
        gpu: { title: 'B200', name: 'B200', id: 'b200' },
        gpu_count: 1,
        gpu_power_limit_w: null,
      },
      model: { title: 'Llama 3.1 8B', name: 'Llama 3.1 8B', id: 'llama-3.1-8b' },
      quantization: { id: 'fp8', name: 'fp8', recipe: [], title: 'FP8' },
      engine: { id: 'vllm', name: 'vllm', title: 'vLLM', version: null },
    },
  }) as unknown as Measured; // Drawing reads nothing else of a point.

const draw = (query: string, measured: readonly Measured[]) => {
  const [x, y] = [axisOf('user_tok_s'), axisOf('output_tok_s_per_gpu')];
  if (x === null || y === null) throw new Error('no axes');
  return drawExplorer(measured, readState(new URLSearchParams(query)), [x, y]);
};

// One point beats the others, of which each is below the next.
const best = point(0, 200, 1000);
const beaten = (count: number) => Array.from({ length: count }, (_, at) => point(at + 1, 100, 100 + at));

test('all points include dominated ones, up to a maximum, with a count of the rest', () => {
  const drawing = draw('curves=points', [best, ...beaten(310)]);
  const points = drawing?.curves.flatMap((curve) => curve.points) ?? [];
  expect(points.filter(({ isOnCurve }) => isOnCurve).map(({ y }) => y)).toEqual([1000]);
  const off = points.filter(({ isOnCurve }) => !isOnCurve).map(({ y }) => y);
  expect(off).toHaveLength(300);
  // The best of them are drawn.
  expect(Math.min(...off)).toBe(110);
  expect(drawing?.leftOut).toBe(10);
});

test('draws all points if there are few, and only the frontier by default', () => {
  const few = [best, ...beaten(5)];
  expect(draw('curves=points', few)?.curves.flatMap(({ points }) => points)).toHaveLength(6);
  expect(draw('curves=points', few)?.leftOut).toBe(0);
  expect(draw('', few)?.curves.flatMap(({ points }) => points)).toHaveLength(1);
});

test.each([0.5, 260, 5000])('the axis includes a limit beyond all points: %d', (limit) => {
  const drawing = draw(`curves=points&limit=${limit}`, [best, ...beaten(5)]);
  const [low = 0, high = 0] = drawing?.xAxis.domain ?? [];
  expect(low).toBeLessThanOrEqual(limit);
  expect(high).toBeGreaterThanOrEqual(limit);
  // Not clamped to the edge: the position of the line is that of its value.
  expect(drawing?.limit?.at).toBe(drawing?.xAxis.at(limit));
  expect(drawing?.limit?.at).not.toBe(drawing?.xAxis.at(limit === 0.5 ? 100 : 200));
});

test('cites the publications of each point', () => {
  const source = (entry: string) => ({
    ...{ publisher: 'SemiAnalysis', title: 'InferenceX', url: 'https://example.com', licence: null },
    ...{ entry, retrieved_at: null },
  });
  const ofRun = (run: string, x: number, y: number) => ({ ...point(1, x, y), sources: [source(run)] });
  const drawing = draw('', [ofRun('run 1', 200, 500), ofRun('run 2', 100, 900), point(3, 50, 1000)]);
  const points = drawing?.curves.flatMap((curve) => curve.points) ?? [];
  expect(points.map(({ sources }) => sources.map(({ entry }) => entry))).toEqual([[], ['run 2'], ['run 1']]);
});
