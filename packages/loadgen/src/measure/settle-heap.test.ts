import { constants, type NodeGCPerformanceDetail, PerformanceObserver } from 'node:perf_hooks';
import { expect, test } from 'vitest';
import { settleHeap } from './settle-heap.ts';

test('the young generation is collected twice', async () => {
  let collections = 0;
  const observer = new PerformanceObserver((list) => {
    for (const { detail } of list.getEntries())
      if ((detail as NodeGCPerformanceDetail).kind === constants.NODE_PERFORMANCE_GC_MINOR) collections += 1;
  });
  observer.observe({ entryTypes: ['gc'] });
  try {
    settleHeap();
    await expect.poll(() => collections).toBeGreaterThanOrEqual(2);
  } finally {
    observer.disconnect();
  }
});
