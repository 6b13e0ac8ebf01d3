/** Maximum number of event loop turns that a read waits for more callers. */
const turnsMax = 16;

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/**
 * Lets concurrent callers share one read. Each caller gets a read that begins after its call. Calls during a read wait for the
 * next one, which begins after the first event loop turn without a new caller.
 */
export function shareRead<T>(read: () => Promise<T>): () => Promise<T> {
  let inFlight: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | null = null;
  let callers = 0;
  const gather = async () => {
    for (let [turn, before] = [0, -1]; turn < turnsMax && callers > before; turn += 1) {
      before = callers;
      await nextTurn();
    }
  };
  const begin = (): Promise<T> => {
    next = null;
    callers = 0;
    const begun = read();
    inFlight = begun.catch(() => {});
    return begun;
  };
  return () => {
    callers += 1;
    next ??= inFlight.then(gather).then(begin);
    return next;
  };
}
