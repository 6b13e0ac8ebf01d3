import { askedFamilies, metricNames } from '@inferboard/core/metrics/index';
import { expect, it } from 'vitest';
import { useTestApp } from './testing/index.ts';

interface MetricItem {
  id: string;
  name: string;
  asked: boolean;
  glossary: string;
  prerequisites: string[];
  needs: string[];
}

const app = useTestApp();
const listMetrics = async () => (await app.get<{ data: MetricItem[] }>('/v1/catalogue/metrics')).data;

// The glossary page and every client read these: what is not answered here gets retyped somewhere.
it('tells every metric with what explains it and what it needs, those made on asking last', async () => {
  const data = await listMetrics();
  expect(data.map(({ id }) => id)).toEqual([...metricNames, ...askedFamilies.map(({ base }) => base)]);
  for (const item of data) {
    expect(item.glossary.length, item.id).toBeGreaterThanOrEqual(80);
    expect(Array.isArray(item.prerequisites), item.id).toBe(true);
    expect(Array.isArray(item.needs), item.id).toBe(true);
  }
});

it('marks the figures that no result holds', async () => {
  const data = await listMetrics();
  expect(data.filter(({ asked }) => asked).map(({ id }) => id)).toEqual([
    'max_safe_queue',
    'speedup_vs_baseline',
    'usd_per_mtok_output',
  ]);
  expect(data.find(({ id }) => id === 'usd_per_mtok_output')).toMatchObject({
    statistic: null,
    unit: '$',
    direction: 'lower',
    needs: ['output_tok_s'],
    prerequisites: ['a price per GPU-hour', 'the number of GPUs'],
  });
});
