import { expect, test } from 'vitest';
import { rankedMetric } from '../features/board/data/ranked-metric.ts';
import { axisChoices, axisOf } from './axes.ts';

test('an axis has the title and the unit that boards have for its metric', () => {
  for (const { name, title, unit } of axisChoices) {
    const metric = rankedMetric(name);
    expect([title, unit]).toEqual([metric?.title, metric?.family.unit]);
  }
  expect(axisOf('usd_per_mtok_output')).toMatchObject({ title: 'Cost of a million output tokens', better: 'lower' });
});

test('an unknown name has no axis', () => {
  expect(axisOf('no_metric')).toBeNull();
});
