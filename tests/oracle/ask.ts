import type { TestApp } from '../../apps/api/src/testing/index.ts';

/** Reads that are abbreviated unless the full response is requested. */
const short = new Set(['/v1/results', '/v1/leaderboard', '/v1/best', '/v1/matrix', '/v1/pareto']);

/** Sends a query and returns the JSON. Any status but 200 is a mismatch, reported with the query. */
export async function ask<T>(app: TestApp, path: string, query: readonly (readonly [string, string])[]): Promise<T> {
  const whole: [string, string][] = short.has(path) ? [['full', 'true']] : [];
  const address = `${path}?${new URLSearchParams([...query.map(([name, value]): [string, string] => [name, value]), ...whole])}`;
  const response = await app.request(address);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${address}: ${response.status} ${text.slice(0, 500)}`);
  return JSON.parse(text) as T;
}

interface Page<T> {
  data: T[];
  next_cursor: string | null;
}

/** All pages of a list; calls `between` after each. Every page except the last must have the requested length. */
export async function askPages<T, P extends Page<T> = Page<T>>(
  app: TestApp,
  path: string,
  query: readonly (readonly [string, string])[],
  limit: number,
  between: () => Promise<void> = async () => {},
): Promise<{ items: T[]; pages: P[] }> {
  const pages: P[] = [];
  let cursor: string | null = null;
  do {
    const place: [string, string][] = cursor === null ? [] : [['cursor', cursor]];
    const page: P = await ask<P>(app, path, [...query, ['limit', String(limit)], ...place]);
    if (page.data.length > limit || (page.next_cursor !== null && page.data.length < limit))
      throw new Error(`${path}: a page of ${page.data.length} where ${limit} were asked for`);
    pages.push(page);
    cursor = page.next_cursor;
    await between();
  } while (cursor !== null);
  return { items: pages.flatMap(({ data }) => data), pages };
}

/** Equality up to the summation order of floating-point numbers. */
export function isNear(a: number | null | undefined, b: number | null | undefined, scale = 0): boolean {
  if (a == null || b == null) return a == null && b == null;
  if (a === b) return true;
  return Math.abs(a - b) <= 1e-9 * Math.min(Number.MAX_VALUE, Math.max(Math.abs(a), Math.abs(b), scale));
}

/** The differences between two lists of keys; empty if equal. */
export function compareKeys(what: string, found: readonly string[], wanted: readonly string[]): string[] {
  const missing = wanted.filter((key) => !found.includes(key));
  const extra = found.filter((key) => !wanted.includes(key));
  const twice = found.length - new Set(found).size;
  return [
    ...(missing.length > 0 ? [`${what}: ${missing.length} missing, such as ${missing[0]}`] : []),
    ...(extra.length > 0 ? [`${what}: ${extra.length} too many, such as ${extra[0]}`] : []),
    ...(twice > 0 ? [`${what}: ${twice} twice`] : []),
  ];
}
