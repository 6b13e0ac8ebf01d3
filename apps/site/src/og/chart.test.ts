import { inflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { axisOf } from '../explorer/axes.ts';
import { drawExplorer } from '../explorer/drawing/drawing.ts';
import { readState } from '../explorer/state.ts';
import { drawChart } from './chart.ts';

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

const measured = [
  point('H100', 1, 100, 50),
  point('H100', 8, 60, 300),
  point('B200', 1, 150, 80),
  point('B200', 8, 90, 700),
];

function draw(query: string, source = 'bench.example.com, 2026-11-23', points = measured) {
  const [x, y] = [axisOf('user_tok_s'), axisOf('output_tok_s_per_gpu')];
  if (x === null || y === null) throw new Error('no axes');
  const drawing = drawExplorer(points, readState(new URLSearchParams(query)), [x, y]);
  if (drawing === null) throw new Error('nothing drawn');
  return drawChart('Output throughput per GPU over per-user speed', drawing, source);
}

/** Number of pixels of a colour. */
function count(png: Uint8Array, colour: readonly number[], from = 0, to = 630): number {
  const view = new DataView(png.buffer, png.byteOffset);
  const [width, height] = [view.getUint32(16), view.getUint32(20)];
  expect([width, height]).toEqual([1200, 630]);
  const rows = inflateSync(png.subarray(41, 41 + view.getUint32(33)));
  let found = 0;
  for (let row = from; row < Math.min(to, height); row += 1)
    for (let column = 0; column < width; column += 1) {
      const at = row * (width * 3 + 1) + 1 + column * 3;
      if (colour.every((value, channel) => rows[at + channel] === value)) found += 1;
    }
  return found;
}

const [blue, vermillion, lead] = [
  [0, 114, 178],
  [213, 94, 0],
  [166, 61, 0],
] as const;

test('each curve has its colour, and a hidden one is not drawn', () => {
  const both = draw('curves=systems');
  expect(count(both, blue)).toBeGreaterThan(500);
  expect(count(both, vermillion)).toBeGreaterThan(500);
  expect(count(draw('curves=systems&hide=H100'), vermillion)).toBe(0);
});

test('a limit is a line from the top to the bottom of the plot', () => {
  const inPlot = (png: Uint8Array) => count(png, lead, 170, 520);
  expect(inPlot(draw('curves=systems'))).toBe(0);
  expect(inPlot(draw('curves=systems&limit=80'))).toBeGreaterThan(600);
});

test('the source is drawn below the chart', () => {
  const below = (png: Uint8Array) => count(png, [93, 90, 82], 590, 630);
  expect(below(draw(''))).toBeGreaterThan(below(draw('', '')) + 100);
});

test('a zoom cuts curves at the edge of the plot', () => {
  const png = draw('curves=systems&zoom=65,95,100,600');
  // Only axis labels are to the left of the plot.
  expect(count(png, blue, 0, 130)).toBe(0);
});

test('curves have the dashes of the page, and unlabelled curves are in the legend', () => {
  const solid = count(draw('curves=systems&hide=H100'), blue, 164, 526);
  const dashed = count(draw('curves=systems&hide=B200'), vermillion, 164, 526);
  expect(dashed).toBeLessThan(solid * 0.95);
  expect(count(draw('curves=systems'), vermillion, 590)).toBe(0);
  const long = 'H100 '.repeat(30).trim();
  const unnamed = draw('curves=systems', undefined, [...measured, point(long, 1, 120, 20), point(long, 8, 80, 90)]);
  expect(count(unnamed, [0, 158, 115], 590)).toBeGreaterThan(50);
});
