import type { Principal } from '@inferboard/db/queries/account';
import type { Quota } from '@inferboard/db/queries/rate-limit';
import { createAddressReader, type Origin } from './middleware/client-address.ts';
import { createLocalQuota, type LocalQuota } from './middleware/local-quota.ts';
import { createRecentMap, type RecentMap } from './middleware/recent-map.ts';
import { createRefusals, type Refusals } from './middleware/refusals.ts';

/**
 * What asking costs, by address as the OpenAPI document writes it; the first that fits counts. One is about the work of
 * one thing by its id: some milliseconds of a core. Null is not counted: probes, documents and files.
 */
const costs: [pattern: RegExp, cost: number | null][] = [
  [/^\/(?:healthz|readyz|metrics|openapi\.json|llms[\w-]*\.txt|robots\.txt)$/, null],
  [/^\/(?:docs|_astro)(?:\/|$)/, null],
  // Charts are drawn for each request.
  [/^\/explore\.(?:svg|png)$/, 5],
  [/^\/[^/]+\.(?:svg|png|ico|webmanifest)$/, null],
  // The best systems of many boards.
  [/^\/sitemap\.xml$/, 20],
  // The whole answer, however many pages it has.
  [/^\/v1\/.*\.(?:csv|jsonl|parquet)$/, 50],
  [/^\/v1\/(?:leaderboard|best|pareto|compare|matrix|history|changes)$/, 5],
  [/^\/v1\/systems\/[^/]+\/report$/, 5],
  // A tool of an agent asks one of the above.
  [/^\/mcp$/, 5],
  [/^\/v1\/(?:results|systems|submissions|accounts|runs|endpoints|schedules|webhooks|concerns|search)$/, 2],
  [/^\/v1\//, 1],
  // Shown on the pages of others, once for each of their readers.
  [/^\/badges\//, 1],
  [/^\/feed(?:\.xml$|\/)/, 2],
  // A page asks several of the above.
  [/^\//, 5],
];

/** What a read of this address takes of the quota `default`; null where reading is not counted. */
export const costOf = (path: string): number | null => costs.find(([pattern]) => pattern.test(path))?.[1] ?? null;

/** Quotas that no setting changes. */
export const registrations: Quota = { name: 'registrations', quota: 30, windowS: 3600 };
/** Bytes of artifacts that a key may send. A body that does not say how long it is counts as the longest. */
export const uploads: Quota = { name: 'uploads', quota: 4 * 1024 ** 3, windowS: 3600 };

/** Concerns of a reporter: what one finds wrong in a day by looking. */
export const concernReports: Quota = { name: 'concerns', quota: 10, windowS: 86_400 };

/** Submissions of an account that registered itself, in its first week: enough to try all there is, too few to flood the boards. */
export const newAccounts: Quota = { name: 'new-accounts', quota: 200, windowS: 86_400 };

/** What a quota counts, where it is not requests: the unit's name in `RateLimit-Policy`. */
export const unitOf = ({ name }: Quota): string | null => (name === uploads.name ? 'content-bytes' : null);

/**
 * Reads of one caller, in a minute: 400 boards a second, more than two cores answer. It stops a loop that ran wild, and is
 * in nobody's way who measures this service; who shares it with strangers sets less.
 */
export const readsDefault = 120_000;
/** Changes by one key, in a minute: an archive can be loaded file by file, by several clients at once. */
export const writesDefault = 30_000;

/** Some MB of accounts' names and scopes. */
const refusedKeysMax = 10_000;

export interface RateLimits {
  /** Who asks, by address. */
  addressOf: (origin: Origin) => string;
  /** Null where reads are not limited. */
  reads: ({ quota: Quota } & LocalQuota) | null;
  writes: Quota | null;
  /** Of writes. */
  refusals: Refusals;
  /** Whose key was refused lately, by its hash: who goes on all the same is refused without looking for the key. */
  refusedKeys: RecentMap<Principal>;
}

/**
 * The quotas of one process.
 *
 * Reads are counted by each process for itself: a count for all would be a write to the database for every read, which
 * costs more than most reads. So several processes together let through as much more. Writes touch the database anyway,
 * are rarer and harm longer: they are counted there, for all processes together.
 *
 * @param settings a minute's worth, null for no limit; networks of proxies whose word about addresses is taken; the clock
 * that reads are counted by, of milliseconds that never go back
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
