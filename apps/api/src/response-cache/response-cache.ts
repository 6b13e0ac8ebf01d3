import type { CatalogueFollower } from '@inferboard/db/catalogue/follow-catalogue';
import type { Database } from '@inferboard/db/connection/client';
import type { Replica } from '@inferboard/db/connection/replica';
import { type DataScope, dataScopes } from '@inferboard/db/schema/data-versions';
import { type DataVersions, readDataVersions } from '@inferboard/db/service/data-version-read';
import { LRUCache } from 'lru-cache';
import type { BufferedResponse } from './buffered-response.ts';
import { shareRead } from './shared-read.ts';

/** The version of the data in one database when the building of a response began. */
export interface VersionStamp {
  database: Database;
  scopes: readonly DataScope[];
  text: string;
}

/** Cached responses by key and data version. */
export interface ResponseCache {
  /** The cached response for a URL, by `cacheKey`. `isCurrent` checks that none of the data it depends on has changed. */
  find(url: string): { response: BufferedResponse; isCurrent(): Promise<boolean> } | null;
  /** The current version of the data in a database. */
  readStamp(database: Database, scopes: readonly DataScope[]): Promise<VersionStamp>;
  /** The current versions of all data, in every database that responses may come from. */
  readStamps(): Promise<VersionStamp[]>;
  /**
   * The cached response for these stamps, or else the result of `build`. Concurrent calls for the same response share one call of
   * `build`. Null if there is nothing to cache.
   */
  getOrBuild(
    key: string,
    stamps: readonly VersionStamp[],
    build: () => Promise<BufferedResponse | null>,
  ): Promise<{ response: BufferedResponse | null; isBuiltHere: boolean }>;
  /** The key of a response that came from a database. */
  keyFor(database: Database, url: string): string;
  /** Updates the size of an entry. Call this after a response has grown by a variant. */
  updateSize(url: string, response: BufferedResponse): void;
  readonly state: {
    bytes: number;
    entries: number;
    hits: number;
    misses: number;
    shared: number;
    versionReads: number;
  };
}

interface Entry {
  response: BufferedResponse;
  stamps: readonly VersionStamp[];
}

/** Every response depends on the catalogue, which resolves names. */
const stampText = (versions: DataVersions, scopes: readonly DataScope[]) =>
  [...new Set<DataScope>([...scopes, 'catalogue'])].map((scope) => versions[scope]).join(' ');

const isSameVersion = (a: readonly VersionStamp[], b: readonly VersionStamp[]) =>
  a.length === b.length &&
  a.every(({ database, text }, index) => {
    const other = b[index];
    return other?.database === database && other.text === text;
  });

/**
 * A cache of complete responses. Entries never become stale: the cache serves one only after the database confirms that its data
 * are unchanged, in a statement that began after the request arrived.
 *
 * @param catalogue receives each version that was read, before a response is built with it
 * @param bytesMax maximum memory of all responses together, in bytes
 */
export function createResponseCache({
  primary,
  replica,
  catalogue = null,
  bytesMax,
}: {
  primary: Database;
  replica: Replica | null;
  catalogue?: CatalogueFollower | null;
  bytesMax: number;
}): ResponseCache {
  const entries = new LRUCache<string, Entry>({
    maxSize: bytesMax,
    // One response must not evict all others.
    maxEntrySize: Math.ceil(bytesMax / 4),
    sizeCalculation: ({ response }, key) => response.size + key.length,
  });
  const inFlight = new Map<string, Promise<BufferedResponse | null>>();
  const readers = new WeakMap<Database, () => Promise<DataVersions>>();
  const counts = { hits: 0, misses: 0, shared: 0, versionReads: 0 };

  const readVersions = (database: Database): Promise<DataVersions> => {
    const known = readers.get(database);
    if (known !== undefined) return known();
    const reader = shareRead(async () => {
      counts.versionReads += 1;
      const versions = await readDataVersions(database.sql);
      await catalogue?.note(database, versions.catalogue);
      return versions;
    });
    readers.set(database, reader);
    return reader();
  };
  /** The replica that serves reads now, and its data; null if reads go to the primary. */
  const readFromReplica = async () =>
    (await replica?.read(async (database) => ({ database, versions: await readVersions(database) }))) ?? null;

  const isCurrent = async (stamps: readonly VersionStamp[]): Promise<boolean> => {
    if (stamps.every(({ scopes }) => scopes.length === 0)) return true;
    const fromReplica = replica === null ? null : await readFromReplica();
    // The response came from the primary alone and may include data that the replica does not have yet. The routing decides which
    // database answers now.
    if (fromReplica !== null && !stamps.some(({ database }) => database === fromReplica.database)) return false;
    for (const { database, scopes, text } of stamps) {
      if (database !== primary && database !== fromReplica?.database) return false;
      const versions = database === primary ? await readVersions(primary) : fromReplica?.versions;
      if (versions === undefined || stampText(versions, scopes) !== text) return false;
    }
    return true;
  };

  const replicaKey = (url: string) => `replica ${url}`;
  const keyFor = (database: Database, url: string) => (database === primary ? url : replicaKey(url));

  const cache: ResponseCache = {
    find(url) {
      const found = (replica?.inUse ? entries.get(replicaKey(url)) : undefined) ?? entries.get(url);
      if (found === undefined) return null;
      const { response, stamps } = found;
      return {
        response,
        isCurrent: async () => {
          const isHit = await isCurrent(stamps).catch(() => false);
          if (isHit) counts.hits += 1;
          return isHit;
        },
      };
    },
    async readStamp(database, scopes) {
      const text = scopes.length === 0 ? '' : stampText(await readVersions(database), scopes);
      return { database, scopes, text };
    },
    async readStamps() {
      const [versions, fromReplica] = await Promise.all([readVersions(primary), readFromReplica()]);
      return [{ database: primary, versions }, ...(fromReplica === null ? [] : [fromReplica])].map(
        ({ database, versions }) => ({
          ...{ database, scopes: dataScopes, text: stampText(versions, dataScopes) },
        }),
      );
    },
    async getOrBuild(key, stamps, build) {
      const found = entries.get(key);
      if (found !== undefined && isSameVersion(found.stamps, stamps)) {
        counts.hits += 1;
        return { response: found.response, isBuiltHere: false };
      }
      const name = `${key}\n${stamps.map(({ text }) => text).join()}`;
      const others = inFlight.get(name);
      if (others !== undefined) {
        counts.shared += 1;
        return { response: await others, isBuiltHere: false };
      }
      counts.misses += 1;
      const { promise, resolve } = Promise.withResolvers<BufferedResponse | null>();
      inFlight.set(name, promise);
      let response: BufferedResponse | null = null;
      try {
        response = await build();
        if (response !== null) entries.set(key, { response, stamps });
        return { response, isBuiltHere: true };
      } finally {
        inFlight.delete(name);
        resolve(response);
      }
    },
    keyFor,
    updateSize(url, response) {
      for (const key of [url, replicaKey(url)]) {
        const found = entries.peek(key);
        if (found?.response === response) entries.set(key, { ...found });
      }
    },
    get state() {
      return { bytes: entries.calculatedSize, entries: entries.size, ...counts };
    },
  };
  return cache;
}
