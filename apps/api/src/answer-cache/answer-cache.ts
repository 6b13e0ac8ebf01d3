import type { Database } from '@inferboard/db/client';
import type { CatalogueFollower } from '@inferboard/db/follow-catalogue';
import { type DataVersions, readDataVersions } from '@inferboard/db/queries/data-version-read';
import type { Replica } from '@inferboard/db/replica';
import { type DataScope, dataScopes } from '@inferboard/db/schema/data-versions';
import { LRUCache } from 'lru-cache';
import type { Answer } from './answer.ts';
import { shareRead } from './shared-read.ts';

/** What the data were, in one database, when an answer began to be made. */
export interface Stamp {
  database: Database;
  scopes: readonly DataScope[];
  text: string;
}

/** Finished answers, each by its key and what the data were. */
export interface AnswerCache {
  /** What is kept for a URL, by `keyOf`; `isCurrent` finds out whether nothing that it depends on has changed by now. */
  find(url: string): { answer: Answer; isCurrent(): Promise<boolean> } | null;
  /** What the data of a database are now. */
  stamp(database: Database, scopes: readonly DataScope[]): Promise<Stamp>;
  /** What all data are now, in every database that answers may come from. */
  stampAll(): Promise<Stamp[]>;
  /**
   * The answer that is kept for these stamps, or else the one that `make` makes: of all that ask for it at the same time only
   * one makes it. Null where there is nothing to keep.
   */
  once(
    key: string,
    stamps: readonly Stamp[],
    make: () => Promise<Answer | null>,
  ): Promise<{ answer: Answer | null; isMine: boolean }>;
  /** The key of an answer that came from a database. */
  keyIn(database: Database, url: string): string;
  /** To be called when an answer has grown by a packed form. */
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

/** Every response resolves names by the catalogue. */
const textOf = (versions: DataVersions, scopes: readonly DataScope[]) =>
  [...new Set<DataScope>([...scopes, 'catalogue'])].map((scope) => versions[scope]).join(' ');

const isSame = (a: readonly Stamp[], b: readonly Stamp[]) =>
  a.length === b.length &&
  a.every(({ database, text }, index) => {
    const other = b[index];
    return other?.database === database && other.text === text;
  });

/**
 * A cache of finished answers. Nothing in it grows old: whoever asks is answered from it only after the database has said,
 * in a statement that began after they asked, that the data are still those the answer was made of.
 *
 * @param catalogue receives each version that was read, before a response is built with it
 * @param bytesMax what the answers may take in memory, all together
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
    // One answer does not push out all others.
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
  /** The copy that reads go to now, and its data; null where they go to the primary. */
  const readCopy = async () =>
    (await replica?.read(async (database) => ({ database, versions: await readVersions(database) }))) ?? null;

  const isCurrent = async (stamps: readonly Stamp[]): Promise<boolean> => {
    if (stamps.every(({ scopes }) => scopes.length === 0)) return true;
    const copy = replica === null ? null : await readCopy();
    // What the primary answered alone may show what the copy has not yet: which of them answers now is decided elsewhere.
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
