import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Draws items from a source until a promise settles, and returns them. Remaining items stay in the source. Rejects if the
 * promise rejects.
 */
export async function drawUntil<T>(happened: Promise<unknown>, source: Iterator<T>): Promise<T[]> {
  let isOver = false;
  const over = happened.finally(() => {
    isOver = true;
  });
  // The error is reported below.
  over.catch(() => {});
  const drawn: T[] = [];
  while (!isOver) {
    const next = source.next();
    if (next.done) break;
    drawn.push(next.value);
    await nextTurn();
  }
  await over;
  return drawn;
}
