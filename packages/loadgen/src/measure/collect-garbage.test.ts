import { constants, type NodeGCPerformanceDetail, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { expect, test } from 'vitest';
import { collectGarbage } from './collect-garbage.ts';

/** An entry with the details that its type lacks. */
type GarbageCollection = PerformanceEntry & { detail: NodeGCPerformanceDetail };

test('collects the young generation twice', async () => {
  let collections = 0;
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as GarbageCollection[])
      if (entry.detail.kind === constants.NODE_PERFORMANCE_GC_MINOR) collections += 1;
  });
  observer.observe({ entryTypes: ['gc'] });
  try {
    collectGarbage();
    await expect.poll(() => collections).toBeGreaterThanOrEqual(2);
  } finally {
    observer.disconnect();
  }
});
