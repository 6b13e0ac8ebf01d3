const nameOf = (part: string) => part.slice(0, part.includes('=') ? part.indexOf('=') : part.length);

/** Sorts parameters by name; values of one name keep their order. */
const sorted = (query: string): string =>
  query
    .split('&')
    .map((part): [string, string] => [nameOf(part), part])
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, part]) => part)
    .join('&');

/** The cache key of a URL: path and query, with the parameters sorted. No response depends on the requested host. */
export const cacheKey = (url: string): string => cacheKeyOfTarget(url.slice(url.indexOf('/', 8)));

/** The same for a URL without its origin, as in a request line. */
export function cacheKeyOfTarget(target: string): string {
  const at = target.indexOf('?');
  if (at === -1 || !target.includes('&', at)) return target;
  return `${target.slice(0, at + 1)}${sorted(target.slice(at + 1))}`;
}
