import type { CatalogueFollower } from '@inferboard/db/catalogue/follow-catalogue';
import type { Database } from '@inferboard/db/connection/client';
import type { Replica } from '@inferboard/db/connection/replica';
import { type DataScope, dataScopes } from '@inferboard/db/schema/data-versions';
import { type DataVersions, readDataVersions } from '@inferboard/db/service/data-version-read';
import { LRUCache } from 'lru-cache';
import type { Answer } from './answer.ts';
import { shareRead } from './shared-read.ts';

/** The version of the data in one database when the building of a response began. */
export interface Stamp {
  database: Database;
  scopes: readonly DataScope[];
  text: string;
}

/** Cached responses by key and data version. */
export interface AnswerCache {
  /** The cached response for a URL, by `keyOf`. `isCurrent` checks that none of the data it depends on has changed. */
  find(url: string): { answer: Answer; isCurrent(): Promise<boolean> } | null;
  /** The current version of the data in a database. */
  stamp(database: Database, scopes: readonly DataScope[]): Promise<Stamp>;
  /** The current versions of all data, in every database that responses may come from. */
  stampAll(): Promise<Stamp[]>;
  /**
   * The cached response for these stamps, or else the result of `make`. Concurrent calls for the same response share one call of
   * `make`. Null if there is nothing to cache.
   */
  once(
    key: string,
    stamps: readonly Stamp[],
    make: () => Promise<Answer | null>,
  ): Promise<{ answer: Answer | null; isMine: boolean }>;
  /** The key of a response that came from a database. */
  keyIn(database: Database, url: string): string;
  /** Call this after a response has grown by a compressed form. */
  weighAgain(url: string, answer: Answer): void;
  readonly state: {
    bytes: number;
    answers: number;
    hits: number;
    misses: number;
    shared: number;
    versionReads: number;
  };
}

interface Kept {
  answer: Answer;
  stamps: readonly Stamp[];
}

/** Every response depends on the catalogue, which resolves names. */
const textOf = (versions: DataVersions, scopes: readonly DataScope[]) =>
  [...new Set<DataScope>([...scopes, 'catalogue'])].map((scope) => versions[scope]).join(' ');

const isSame = (a: readonly Stamp[], b: readonly Stamp[]) =>
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
export function createAnswerCache({
  primary,
  replica,
  catalogue = null,
  bytesMax,
}: {
  primary: Database;
  replica: Replica | null;
  catalogue?: CatalogueFollower | null;
  bytesMax: number;
}): AnswerCache {
  const kept = new LRUCache<string, Kept>({
    maxSize: bytesMax,
    // One response must not evict all others.
    maxEntrySize: Math.ceil(bytesMax / 4),
    sizeCalculation: ({ answer }, key) => answer.size + key.length,
  });
  const underWay = new Map<string, Promise<Answer | null>>();
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
  const readCopy = async () =>
    (await replica?.read(async (database) => ({ database, versions: await readVersions(database) }))) ?? null;

  const isCurrent = async (stamps: readonly Stamp[]): Promise<boolean> => {
    if (stamps.every(({ scopes }) => scopes.length === 0)) return true;
    const copy = replica === null ? null : await readCopy();
    // The response came from the primary alone and may include data that the replica does not have yet. The routing decides which
    // database answers now.
    if (copy !== null && !stamps.some(({ database }) => database === copy.database)) return false;
    for (const { database, scopes, text } of stamps) {
      if (database !== primary && database !== copy?.database) return false;
      const versions = database === primary ? await readVersions(primary) : copy?.versions;
      if (versions === undefined || textOf(versions, scopes) !== text) return false;
    }
    return true;
  };

  const keyInCopy = (url: string) => `copy ${url}`;
  const keyIn = (database: Database, url: string) => (database === primary ? url : keyInCopy(url));

  const cache: AnswerCache = {
    find(url) {
      const found = (replica?.inUse ? kept.get(keyInCopy(url)) : undefined) ?? kept.get(url);
      if (found === undefined) return null;
      const { answer, stamps } = found;
      return {
        answer,
        isCurrent: async () => {
          const isHit = await isCurrent(stamps).catch(() => false);
          if (isHit) counts.hits += 1;
          return isHit;
        },
      };
    },
    async stamp(database, scopes) {
      const text = scopes.length === 0 ? '' : textOf(await readVersions(database), scopes);
      return { database, scopes, text };
    },
    async stampAll() {
      const [versions, copy] = await Promise.all([readVersions(primary), readCopy()]);
      return [{ database: primary, versions }, ...(copy === null ? [] : [copy])].map(({ database, versions }) => ({
        ...{ database, scopes: dataScopes, text: textOf(versions, dataScopes) },
      }));
    },
    async once(key, stamps, make) {
      const found = kept.get(key);
      if (found !== undefined && isSame(found.stamps, stamps)) {
        counts.hits += 1;
        return { answer: found.answer, isMine: false };
      }
      const name = `${key}\n${stamps.map(({ text }) => text).join()}`;
      const others = underWay.get(name);
      if (others !== undefined) {
        counts.shared += 1;
        return { answer: await others, isMine: false };
      }
      counts.misses += 1;
      const { promise, resolve } = Promise.withResolvers<Answer | null>();
      underWay.set(name, promise);
      let answer: Answer | null = null;
      try {
        answer = await make();
        if (answer !== null) kept.set(key, { answer, stamps });
        return { answer, isMine: true };
      } finally {
        underWay.delete(name);
        resolve(answer);
      }
    },
    keyIn,
    weighAgain(url, answer) {
      for (const key of [url, keyInCopy(url)]) {
        const found = kept.peek(key);
        if (found?.answer === answer) kept.set(key, { ...found });
      }
    },
    get state() {
      return { bytes: kept.calculatedSize, answers: kept.size, ...counts };
    },
  };
  return cache;
}
