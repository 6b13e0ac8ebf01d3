import { setTimeout as sleep } from 'node:timers/promises';
import { createDatabase, type Database } from './client.ts';
import { type LogPlace, readReplayed } from './queries/log-place.ts';

/** What answers later than this counts as away. */
export const patience_ms = 1000;

/** Rejects where the work takes longer. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const over = new AbortController();
  const late = sleep(ms, undefined, { signal: over.signal }).then(() => {
    throw new Error(`no answer in ${ms} ms`);
  });
  late.catch(() => {});
  return await Promise.race([work, late]).finally(() => over.abort());
}

/** Resolves when the work has ended, well or not. */
export const settle = (work: Promise<unknown>): Promise<void> =>
  work.then(
    () => {},
    () => {},
  );

/** `foreign`: not a replica of the primary. */
export type CopyState = 'near' | 'behind' | 'away' | 'foreign';

/** One streaming replica, with what was last seen of it. */
export interface ReadCopy {
  /** Its host and port. */
  readonly name: string;
  readonly database: Database;
  readonly state: CopyState;
  /** Behind the primary, as last seen; null where that is not known. */
  readonly lag_ms: number | null;
  /**
   * Sees whether it answers and how far behind it is.
   *
   * @param written how far the primary has written its log; null where the primary does not answer
   */
  look(written: Promise<LogPlace | null>): Promise<void>;
  /** Waits until it has replayed the log up to this place; false where that takes longer. */
  reaches(place: number, ms: number): Promise<boolean>;
  /** Fails what waits for an answer of this database, and opens other connections. */
  leave(left: Database): void;
  close(): Promise<void>;
}

function open(url: string) {
  const database = createDatabase(url, { connectTimeout_s: 2 });
  // For looking at it: never behind what readers wait for.
  return { database, watch: createDatabase(url, { poolSize: 1, connectTimeout_s: 1 }) };
}

/** @param lagMost_ms what is further behind is no longer `near` */
export function openCopy(url: string, lagMost_ms: number): ReadCopy {
  let opened = open(url);
  let state: CopyState = 'away';
  let lag_ms: number | null = null;
  /** Places of the primary's log that the copy had not reached, and when they were written, oldest first. */
  let awaited: { place: number; at: number }[] = [];

  const leave = (left: Database) => {
    if (left !== opened.database) return;
    const { database, watch } = opened;
    opened = open(url);
    state = 'away';
    lag_ms = null;
    void settle(database.close(0));
    void settle(watch.close(0));
  };
  return {
    name: new URL(url).host,
    get database() {
      return opened.database;
    },
    get state() {
      return state;
    },
    get lag_ms() {
      return lag_ms;
    },
    async look(asked) {
      const at = performance.now();
      const looked = opened;
      const replayed = await within(patience_ms, readReplayed(looked.watch.sql)).catch(() => undefined);
      if (replayed === undefined) return leave(looked.database);
      const written = await asked;
      if (looked !== opened) return;
      if (replayed === null || (written !== null && written.system !== replayed.system)) {
        state = 'foreign';
        lag_ms = null;
        return;
      }
      if (written !== null) awaited.push({ place: written.place, at });
      awaited = awaited.filter(({ place }) => place > replayed.place);
      const oldest = awaited[0];
      lag_ms = oldest === undefined ? 0 : performance.now() - oldest.at;
      state = lag_ms > lagMost_ms ? 'behind' : 'near';
      // A copy that stands still lacks more places each time; the oldest one is enough.
      if (state === 'behind') awaited = awaited.slice(0, 1);
    },
    async reaches(place, ms) {
      for (const from = performance.now(); ; await sleep(2)) {
        const replayed = await within(patience_ms, readReplayed(opened.watch.sql));
        if (replayed === null) return false;
        if (replayed.place >= place) return true;
        if (performance.now() - from > ms) return false;
      }
    },
    leave,
    async close() {
      await Promise.all([opened.database.close(), opened.watch.close(0)]);
    },
  };
}
