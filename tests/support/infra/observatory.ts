/**
 * The grade of Mozilla's HTTP Observatory (https://github.com/mdn/mdn-http-observatory, algorithm 4, as of version 1.4.8) as a
 * table. The program itself depends on a web server, a database client and a DOM, and it has a different licence.
 * `tests/security-headers.test.ts` compares the table with scores from the program.
 */

/** The data of a scan: one page, and a cross-origin request. */
export interface Scanned {
  headers: Headers;
  html: string;
  /** Response to a preflight request from another origin. */
  preflight: Headers;
}

/** The requesting origin. */
export const stranger = 'https://http-observatory.security.mozilla.org';

/** Scores below this get no extra credit. */
const leastForCredit = 90;

const broad = /^(?:ftp:|https?:|\*|https?:\/\/\*(?:\.\*)?)$/;
const isUnsafe = (source: string) => broad.test(source) || source === "'unsafe-inline'" || source === 'data:';

/** The sources of each directive; null without a policy, or with a repeated directive. */
function readPolicy(header: string | null): Map<string, string[]> | null {
  if (header === null || header.trim().length < 7) return null;
  const directives = header
    .toLowerCase()
    .split(';')
    .map((text) => text.trim().split(/\s+/))
    .filter(([name]) => name !== '');
  const policy = new Map(directives.map(([name = '', ...sources]) => [name, sources]));
  return policy.size === directives.length ? policy : null;
}

function ofPolicy({ headers }: Scanned): number {
  const policy = readPolicy(headers.get('content-security-policy'));
  if (policy === null) return -25;
  const sources = (name: string) => policy.get(name) ?? policy.get('default-src') ?? ['*'];
  const [script, style, object] = [sources('script-src'), sources('style-src'), sources('object-src')];
  if (script.some(isUnsafe) || object.some((source) => broad.test(source))) return -20;
  const isPassive = (name: string) => name === 'img-src' || name === 'media-src';
  const isPlain = (source: string) => /^(?:http|ftp):/.test(source);
  const loaded = [...policy].filter(([name]) => !isPassive(name)).flatMap(([, all]) => all);
  if (loaded.some(isPlain)) return -20;
  if ([...script, ...style].includes("'unsafe-eval'")) return -10;
  if ([...sources('img-src'), ...sources('media-src')].some(isPlain)) return -10;
  if (style.some(isUnsafe)) return 0;
  return policy.get('default-src')?.join() === "'none'" ? 10 : 5;
}

function ofFrames({ headers }: Scanned): number {
  if (readPolicy(headers.get('content-security-policy'))?.has('frame-ancestors')) return 5;
  return /^(?:deny|sameorigin|allow-from.*)$/i.test(headers.get('x-frame-options') ?? '') ? 0 : -20;
}

function ofReferrer({ headers }: Scanned): number {
  const policy = headers.get('referrer-policy');
  if (policy === null) return 0;
  return /^(?:no-referrer|same-origin|strict-origin|strict-origin-when-cross-origin)$/i.test(policy) ? 5 : -5;
}

function ofTransport({ headers }: Scanned): number {
  const seconds = /^max-age=(\d+)(?:;|$)/i.exec(headers.get('strict-transport-security') ?? '')?.[1];
  if (seconds === undefined) return -20;
  return Number(seconds) < 15_552_000 ? -10 : 0;
}

function ofResources({ headers }: Scanned): number {
  const policy = headers.get('cross-origin-resource-policy');
  if (policy === null || policy === 'cross-origin') return 0;
  return policy === 'same-origin' || policy === 'same-site' ? 10 : -5;
}

function ofScripts({ html }: Scanned): number {
  const others = [...html.matchAll(/<script[^>]*\ssrc="?((?:https?:)?\/\/[^"\s>]+)"?([^>]*)>/gi)];
  const [worst] = others.map(([, src = '', rest = '']) => {
    if (src.startsWith('https:')) return rest.includes('integrity=') ? 0 : -5;
    return rest.includes('integrity=') ? -20 : -50;
  });
  return worst ?? 0;
}

/** The points of each rule, by the program's rule names. The proxy redirects plain HTTP. */
const rules: Record<string, (scanned: Scanned) => number> = {
  'content-security-policy': ofPolicy,
  // The service sets no cookie; this rule has the smallest penalty for one.
  cookies: ({ headers }) => (headers.has('set-cookie') ? -5 : 0),
  'cross-origin-resource-sharing': ({ preflight }) =>
    preflight.get('access-control-allow-origin') === stranger &&
    preflight.get('access-control-allow-credentials') === 'true'
      ? -50
      : 0,
  'referrer-policy': ofReferrer,
  'strict-transport-security': ofTransport,
  'subresource-integrity': ofScripts,
  'x-content-type-options': ({ headers }) => (headers.get('x-content-type-options') === 'nosniff' ? 0 : -5),
  'x-frame-options': ofFrames,
  'cross-origin-resource-policy': ofResources,
};

const grades = ['A+', 'A', 'A', 'A-', 'B+', 'B', 'B', 'B-', 'C+', 'C', 'C', 'C-', 'D+', 'D', 'D', 'D-'];

/** The points, their grade, and the points of each rule. */
export function observe(scanned: Scanned): { score: number; grade: string; given: Record<string, number> } {
  const given = Object.fromEntries(Object.entries(rules).map(([name, judge]) => [name, judge(scanned)]));
  const points = Object.values(given);
  const lost = 100 + points.filter((one) => one < 0).reduce((a, b) => a + b, 0);
  const score = Math.max(0, lost >= leastForCredit ? 100 + points.reduce((a, b) => a + b, 0) : lost);
  return { score, grade: grades[20 - Math.floor(Math.min(score, 100) / 5)] ?? 'F', given };
}
