/** Turns of the event loop that a read waits at most for more askers. */
const turnsMost = 16;

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/**
 * Lets all that ask at the same time share one read. Each asker gets a read that begins after it asked: those that come while
 * one is under way wait for the next, which begins at the first turn of the event loop that brings no further asker.
 */
export function shareRead<T>(read: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | null = null;
  let askers = 0;
  const gather = async () => {
    for (let [turn, before] = [0, -1]; turn < turnsMost && askers > before; turn += 1) {
      before = askers;
      await nextTurn();
    }
  };
  const begin = (): Promise<T> => {
    next = null;
    askers = 0;
    const begun = read();
    underWay = begun.catch(() => {});
    return begun;
  };
  return () => {
    askers += 1;
    next ??= underWay.then(gather).then(begin);
    return next;
  };
}
