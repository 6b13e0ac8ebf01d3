/** Maximum number of characters of one part. */
const partMax = 200;

/** The JSON pointer of a path, as in RFC 6901: "/results/0/metrics/ttft_ms_mean"; "" is the whole document. Cuts long parts. */
export const toPointer = (path: readonly PropertyKey[]): string =>
  path.map((part) => `/${String(part).slice(0, partMax).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
