import { expect, test } from 'vitest';
import { axisOf } from '../axes.ts';
import { drawExplorer } from '../drawing/drawing.ts';
import type { ExplorerView } from '../read.ts';
import { readState } from '../state.ts';
import { explorerSvg } from './svg.ts';

type Measured = Parameters<typeof drawExplorer>[0][number];

const point = (gpu: string, level: number, x: number, y: number) =>
  ({
    ...{ x, y, load: { mode: 'concurrency', level }, sources: [] },
    system: {
      ...{ id: `sys_${gpu}`, gpu: { title: gpu, name: gpu, id: null }, gpu_count: 1, gpu_power_limit_w: null },
      model: { title: 'Llama 3.1 8B', name: 'Llama 3.1 8B', id: 'llama-3.1-8b' },
      quantization: { id: 'fp8', name: 'fp8', recipe: [], title: 'FP8' },
      engine: { id: 'vllm', name: 'vllm', title: 'vLLM', version: null },
    },
  }) as unknown as Measured; // Drawing reads nothing else of a point.

/** Longer than the chart is wide. */
const long = 'Accelerator '.repeat(12).trim();

test('an SVG file has the dashes of each curve, and a legend for unlabelled curves', () => {
  const [x, y] = [axisOf('user_tok_s'), axisOf('output_tok_s_per_gpu')];
  if (x === null || y === null) throw new Error('no axes');
  const measured = [
    point('B200', 1, 150, 80),
    point('B200', 8, 90, 700),
    point(long, 1, 100, 50),
    point(long, 8, 60, 300),
  ];
  const drawing = drawExplorer(measured, readState(new URLSearchParams('curves=systems')), [x, y]);
  if (drawing === null) throw new Error('nothing drawn');
  const view = { title: 'Throughput over speed' } as ExplorerView; // The file reads only the title of the view.
  const svg = explorerSvg(view, drawing, { page: 'http://bench.example.com/explore', day: '2026-11-25' });
  expect(svg.match(/>B200<\/text>/g)).toHaveLength(1);
  expect(svg.match(new RegExp(`>${long}</text>`, 'g'))).toHaveLength(1);
  // The second curve and its line in the legend.
  expect(svg.match(/stroke-dasharray="7 3"/g)).toHaveLength(2);
  // The legend is between the chart and the source.
  const [, at] = new RegExp(`y="(\\d+)"[^>]*>${long}`).exec(svg) ?? [];
  expect(Number(at)).toBeGreaterThan(drawing.height);
  const [, source] = /y="(\d+)"[^>]*>Inferboard, http:\/\/bench\.example\.com\/explore, 2026-11-25/.exec(svg) ?? [];
  expect(Number(source)).toBeGreaterThan(Number(at));
});
