import { expect, test, vi } from 'vitest';
import { failuresInRowMax, watchFailures } from './failing-streak.ts';

const counts = (done: number, failed: number) => ({ done, failed, in_flight: 0 });

test('tells once of so many failures since the last success', () => {
  const tell = vi.fn();
  const watch = watchFailures(tell);
  watch(counts(3, failuresInRowMax - 1));
  watch(counts(4, failuresInRowMax + 1));
  expect(tell).not.toHaveBeenCalled();
  watch(counts(4, 2 * failuresInRowMax));
  expect(tell).not.toHaveBeenCalled();
  watch(counts(4, 2 * failuresInRowMax + 1));
  watch(counts(4, 3 * failuresInRowMax));
  expect(tell).toHaveBeenCalledOnce();
});
