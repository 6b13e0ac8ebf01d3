import { setTimeout as sleep } from 'node:timers/promises';
import { type LogPlace, readReplayed } from '../boards/lists/log-place.ts';
import { createDatabase, type Database } from '../connection/client.ts';

/** Timeout after which a replica counts as unavailable. */
export const patience_ms = 1000;

/** Rejects if the work takes longer. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const over = new AbortController();
  const late = sleep(ms, undefined, { signal: over.signal }).then(() => {
    throw new Error(`no answer in ${ms} ms`);
  });
  late.catch(() => {});
  return await Promise.race([work, late]).finally(() => over.abort());
}

/** Resolves when the work has settled. */
export const settle = (work: Promise<unknown>): Promise<void> =>
  work.then(
    () => {},
    () => {},
  );

/** `foreign`: not a replica of the primary. */
export type CopyState = 'near' | 'behind' | 'away' | 'foreign';

/** A streaming replica and its last observed state. */
export interface ReadCopy {
  /** Its host and port. */
  readonly name: string;
  readonly database: Database;
  readonly state: CopyState;
  /** Last known lag behind the primary; null if unknown. */
  readonly lag_ms: number | null;
  /**
   * Checks whether the replica responds and how far it lags.
   *
   * @param written the primary's log position; null if the primary does not respond
   */
  look(written: Promise<LogPlace | null>): Promise<void>;
  /** Waits until the replica has replayed the log to this position; false on timeout. */
  reaches(place: number, ms: number): Promise<boolean>;
  /** Fails pending queries on this database, and opens new connections. */
  leave(left: Database): void;
  close(): Promise<void>;
}

function open(url: string) {
  const database = createDatabase(url, { connectTimeout_s: 2 });
  // Used for checks only, so that they never queue behind reads.
  return { database, watch: createDatabase(url, { poolSize: 1, connectTimeout_s: 1 }) };
}

/** @param lagMost_ms a replica with more lag is no longer `near` */
export function openCopy(url: string, lagMost_ms: number): ReadCopy {
  let opened = open(url);
  let state: CopyState = 'away';
  let lag_ms: number | null = null;
  /** Log positions of the primary that the replica had not reached, with their times, oldest first. */
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
      // While a replica makes no progress, the list grows; the oldest entry is sufficient.
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
