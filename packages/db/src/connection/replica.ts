import { setTimeout as sleep } from 'node:timers/promises';
import { readWritten } from '../boards/lists/log-place.ts';
import { openCopy, patience_ms, type ReadCopy, settle, within } from '../copy/read-copy.ts';
import type { Database } from './client.ts';
import { databaseProblem } from './errors.ts';

export interface ReplicaOptions {
  /** The primary that the replicas follow. */
  readonly primary: Database;
  /** Replicas in order of preference: the first one with acceptable lag serves reads. */
  readonly urls: readonly string[];
  /** Called with the reason when reads move to another server. */
  readonly log: (message: string) => void;
  /** Maximum acceptable lag in milliseconds. */
  readonly lagMost_ms?: number;
}

/** Read replicas of the database, for reads that accept slightly old data. One replica at a time serves them. */
export interface Replica {
  /**
   * Runs `work` on the active replica. Returns null if the primary must serve the read: all replicas are unavailable or lag too
   * far, or the work failed on the replica. After a switch, reads never return older data than before.
   *
   * @throws if a statement timed out, because it would on the primary too
   */
  read<T>(work: (database: Database) => Promise<T>): Promise<T | null>;
  readonly inUse: boolean;
  readonly copies: readonly {
    readonly name: string;
    readonly inUse: boolean;
    /** Last known lag behind the primary; null if unknown. */
    readonly lag_ms: number | null;
  }[];
  close(): Promise<void>;
}

/** Interval between checks of the replicas. */
const tick_ms = 500;
/** How long reads wait while a replica catches up with data that was already returned. */
const turn_ms = 100;

/** Starts to follow the replicas. Resolves after the first check. */
export async function openReplica(options: ReplicaOptions): Promise<Replica> {
  const { primary, urls, log, lagMost_ms = 5000 } = options;
  const closing = new AbortController();
  const copies = urls.map((url) => openCopy(url, lagMost_ms));
  let current: ReadCopy | null = null;
  /** Reads wait for this promise during a switch. */
  let turning: Promise<void> = Promise.resolve();
  const logged = new Map<ReadCopy | null, string>();

  /** Logs each change once, by replica or for the target of reads. */
  function logChange(about: ReadCopy | null, message: string): void {
    if (logged.get(about) !== message && message !== '') log(message);
    logged.set(about, message);
  }

  const problems = {
    near: () => '',
    behind: ({ name }: ReadCopy) => `The read replica ${name} is more than ${lagMost_ms / 1000} s behind.`,
    away: ({ name }: ReadCopy) => `The read replica ${name} is unavailable.`,
    foreign: ({ name }: ReadCopy) => `${name} in DATABASE_READ_URL is not a streaming replica of DATABASE_URL.`,
  };
  const seeState = (copy: ReadCopy) => logChange(copy, problems[copy.state](copy));

  /** Blocks reads while the replica catches up with the primary, so that no reader misses data it saw before. */
  async function turnTo(copy: ReadCopy): Promise<void> {
    const done = (async () => {
      const { place } = await within(patience_ms, readWritten(primary.sql));
      if (await copy.reaches(place, turn_ms)) current = copy;
    })();
    turning = settle(done);
    await done;
  }

  /**
   * Whether reads switch to the replica now. A replica with large lag must catch up first, so that readers do not wait in vain.
   */
  async function take(copy: ReadCopy, place: number): Promise<boolean> {
    if (!(await copy.reaches(place, turn_ms))) return false;
    await turnTo(copy);
    return current === copy;
  }

  async function look(): Promise<void> {
    // Without the primary the lag is unknown, and the active replica remains in use.
    const asked = within(patience_ms, readWritten(primary.sql)).catch(() => null);
    await Promise.all(copies.map((copy) => copy.look(asked)));
    for (const copy of copies) seeState(copy);
    if (current !== null && current.state !== 'near') current = null;
    const written = await asked;
    for (const copy of copies) {
      if (copy === current) break;
      if (copy.state !== 'near' && copy.state !== 'behind') continue;
      if (written !== null && (await take(copy, written.place).catch(() => false))) break;
    }
    logChange(null, current === null ? 'Reads go to the primary.' : `Reads go to the read replica ${current.name}.`);
  }

  const watch = async () => {
    while (!closing.signal.aborted) {
      await settle(sleep(tick_ms, undefined, { signal: closing.signal }));
      if (!closing.signal.aborted) await settle(look());
    }
  };
  await settle(look());
  const watching = watch();

  return {
    async read(work) {
      await turning;
      if (current === null) return null;
      const copy = current;
      const asked = copy.database;
      try {
        return await work(asked);
      } catch (error) {
        const problem = databaseProblem(error);
        if (problem === 'timeout') throw error;
        if (problem === 'down') {
          copy.leave(asked);
          if (current === copy && copy.state === 'away') current = null;
        }
        return null;
      }
    },
    get inUse() {
      return current !== null;
    },
    get copies() {
      return copies.map((copy) => ({ name: copy.name, inUse: copy === current, lag_ms: copy.lag_ms }));
    },
    async close() {
      closing.abort();
      await watching;
      await Promise.all(copies.map((copy) => copy.close()));
    },
  };
}
