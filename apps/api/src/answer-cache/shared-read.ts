/**
 * Lets all that ask at the same time share one read. Each asker gets a read that begins after it asked: those that come while
 * one is under way wait for the next.
 */
export function shareRead<T>(read: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | null = null;
  const begin = (): Promise<T> => {
    next = null;
    const begun = read();
    underWay = begun.catch(() => {});
    return begun;
  };
  return () => {
    next ??= underWay.then(begin);
    return next;
  };
}
