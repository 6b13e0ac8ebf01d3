/** How long a scrape waits for the database, in ms. */
const patienceMs = 1000;

async function within<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the database is slow')), patienceMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** Runs one query for all metrics computed from its result; null if it does not answer in time. */
export function cacheQuery<T>(forMs: number, ask: () => Promise<T>): () => Promise<T | null> {
  let askedAt = Number.NEGATIVE_INFINITY;
  let answer: Promise<T | null> = Promise.resolve(null);
  return () => {
    if (performance.now() - askedAt < forMs) return answer;
    askedAt = performance.now();
    answer = within(ask()).catch(() => null);
    return answer;
  };
}

/** How long a query result is shared within a scrape, which reads all metrics at once. */
export const scrapeMs = 100;

/** How long counts of stored rows are cached: they scan whole tables, and scrapes come every few seconds. */
export const countedForMs = 60_000;
