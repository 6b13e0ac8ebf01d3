/** How long a scrape waits for the database. */
const patienceMs = 1000;

async function within<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the database is slow')), patienceMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** Asks once for all figures that are made of the answer; null where none came in time. */
export function askedOnce<T>(forMs: number, ask: () => Promise<T>): () => Promise<T | null> {
  let askedAt = Number.NEGATIVE_INFINITY;
  let answer: Promise<T | null> = Promise.resolve(null);
  return () => {
    if (performance.now() - askedAt < forMs) return answer;
    askedAt = performance.now();
    answer = within(ask()).catch(() => null);
    return answer;
  };
}

/** A scrape reads all figures at once. */
export const scrapeMs = 100;

/** How long a count of what is stored serves: it reads through whole tables, and scrapes come every few seconds. */
export const countedForMs = 60_000;
