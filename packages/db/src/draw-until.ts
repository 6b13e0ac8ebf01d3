import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Draws from a source while something else is waited for, and answers what was drawn; what is left stays in the source.
 * Rejects with what is waited for.
 */
export async function drawUntil<T>(happened: Promise<unknown>, source: Iterator<T>): Promise<T[]> {
  let isOver = false;
  const over = happened.finally(() => {
    isOver = true;
  });
  // Told below.
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
