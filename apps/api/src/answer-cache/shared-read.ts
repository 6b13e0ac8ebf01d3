/** Maximum number of event loop turns that a read waits for more callers. */
const turnsMost = 16;

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/**
 * Lets concurrent callers share one read. Each caller gets a read that begins after its call. Calls during a read wait for the
 * next one, which begins after the first event loop turn without a new caller.
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
