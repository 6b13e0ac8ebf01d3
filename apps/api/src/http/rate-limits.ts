import type { Principal } from '@inferboard/db/accounts/account';
import type { Quota } from '@inferboard/db/accounts/rate-limit';
import { createAddressReader, type Origin } from '../middleware/client-address.ts';
import { createLocalQuota, type LocalQuota } from '../middleware/local-quota.ts';
import { createRecentMap, type RecentMap } from '../middleware/recent-map.ts';
import { createRefusals, type Refusals } from './refusals.ts';

/**
 * Cost of a read by path, as in the OpenAPI document; the first match counts. A cost of 1 is about the work to read one object by
 * id: some milliseconds of a core. Null is not counted: probes, documents and files.
 */
const costs: [pattern: RegExp, cost: number | null][] = [
  [/^\/(?:healthz|readyz|metrics|openapi\.json|llms[\w-]*\.txt|robots\.txt)$/, null],
  [/^\/(?:docs|_astro)(?:\/|$)/, null],
  // Charts are drawn for each request.
  [/^\/explore\.(?:svg|png)$/, 5],
  [/^\/[^/]+\.(?:svg|png|ico|webmanifest)$/, null],
  // Loads the best systems of many boards.
  [/^\/sitemap\.xml$/, 20],
  // The complete list, regardless of its number of pages.
  [/^\/v1\/.*\.(?:csv|jsonl|parquet)$/, 50],
  [/^\/v1\/(?:leaderboard|best|pareto|compare|matrix|history|changes)$/, 5],
  [/^\/v1\/systems\/[^/]+\/report$/, 5],
  // May read the artifact.
  [/^\/v1\/submissions\/[^/]+\/timeline$/, 20],
  // An agent's tool calls one of the above.
  [/^\/mcp$/, 5],
  [/^\/v1\/(?:results|systems|submissions|accounts|runs|endpoints|schedules|webhooks|concerns|search)$/, 2],
  [/^\/v1\//, 1],
  // Embedded in other sites and requested once per visitor there.
  [/^\/badges\//, 1],
  [/^\/feed(?:\.xml$|\/)/, 2],
  // A page sends several of the requests above.
  [/^\//, 5],
];

/** The cost of a read of this path in the `default` quota; null if it is not counted. */
export const costOf = (path: string): number | null => costs.find(([pattern]) => pattern.test(path))?.[1] ?? null;

/** Fixed quotas, without a setting. */
export const registrations: Quota = { name: 'registrations', quota: 30, windowS: 3600 };
/** Bytes of artifacts per key. A body without a length counts as the maximum. */
export const uploads: Quota = { name: 'uploads', quota: 4 * 1024 ** 3, windowS: 3600 };

/** Concerns per reporter: as many as one person can find in a day. */
export const concernReports: Quota = { name: 'concerns', quota: 10, windowS: 86_400 };

/** Submissions of a self-registered account in its first week: enough to try everything, too few to flood the boards. */
export const newAccounts: Quota = { name: 'new-accounts', quota: 200, windowS: 86_400 };

/** Submissions without a key, per address. */
export const anonymousSubmissions: Quota = { name: 'anonymous', quota: 20, windowS: 86_400 };

/** The unit of a quota that does not count requests, as named in `RateLimit-Policy`. */
export const unitOf = ({ name }: Quota): string | null => (name === uploads.name ? 'content-bytes' : null);

/**
 * Reads per client and minute: 400 boards a second, more than two cores can serve. The limit stops runaway loops and does not
 * disturb load tests of this service. Public installations set a lower limit.
 */
export const readsDefault = 120_000;
/** Writes per key and minute: several clients can load an archive file by file at the same time. */
export const writesDefault = 30_000;

/** Some MB of account names and scopes. */
const refusedKeysMax = 10_000;

export interface RateLimits {
  /** The client, by address. */
  addressOf: (origin: Origin) => string;
  /** Null if reads are not limited. */
  reads: ({ quota: Quota } & LocalQuota) | null;
  writes: Quota | null;
  /** Refusals of writes. */
  refusals: Refusals;
  /** Recently refused keys, by hash. Further requests with such a key are refused without a key look-up. */
  refusedKeys: RecentMap<Principal>;
}

/**
 * The quotas of one process. Each process counts reads separately: a shared count would need a database write per read, which
 * costs more than most reads. With several processes the effective limit is multiplied. Writes use the database anyway, are rarer
 * and do more harm, so the database counts them for all processes.
 *
 * @param settings quotas per minute, null for no limit; CIDR networks of trusted proxies; a monotonic clock in milliseconds for
 *   reads
 */
export function createRateLimits(settings: {
  reads: number | null;
  writes: number | null;
  trustedProxies: readonly string[];
  now?: () => number;
}): RateLimits {
  const minutely = (name: string, quota: number): Quota => ({ name, quota, windowS: 60 });
  const reads = settings.reads === null ? null : minutely('default', settings.reads);
  return {
    addressOf: createAddressReader(settings.trustedProxies),
    reads: reads && { quota: reads, ...createLocalQuota(reads, settings.now) },
    writes: settings.writes === null ? null : minutely('writes', settings.writes),
    refusals: createRefusals(),
    refusedKeys: createRecentMap(refusedKeysMax),
  };
}
