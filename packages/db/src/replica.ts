import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from './client.ts';
import { databaseProblem } from './errors.ts';
import { readWritten } from './queries/log-place.ts';
import { openCopy, patience_ms, type ReadCopy, settle, within } from './read-copy.ts';

export interface ReplicaOptions {
  /** What they follow. */
  readonly primary: Database;
  /** In the order in which they are asked: the first that is near enough answers. */
  readonly urls: readonly string[];
  /** Called when reads move from one to another, and why. */
  readonly log: (message: string) => void;
  /** How far behind, in milliseconds, what they show may be. */
  readonly lagMost_ms?: number;
}

/** Copies of the database that follow it, for reads that may show what was so a moment ago. One at a time answers. */
export interface Replica {
  /**
   * What `work` finds on the copy in use; null where the primary is to be asked: every copy is away or too far behind, or the
   * work failed there. When reads move to another copy, they show nothing that is older than what they showed.
   *
   * @throws where a statement took too long: it would on the primary too
   */
  read<T>(work: (database: Database) => Promise<T>): Promise<T | null>;
  readonly inUse: boolean;
  readonly copies: readonly {
    readonly name: string;
    readonly inUse: boolean;
    /** Behind the primary, as last seen; null where that is not known. */
    readonly lag_ms: number | null;
  }[];
  close(): Promise<void>;
}

/** How often the copies are looked at. */
const tick_ms = 500;
/** How long reads wait while a copy replays the last of what was shown. */
const turn_ms = 100;

/** Follows the copies from now on. Resolves once they were looked at, in use or not. */
export async function openReplica(options: ReplicaOptions): Promise<Replica> {
  const { primary, urls, log, lagMost_ms = 5000 } = options;
  const closing = new AbortController();
  const copies = urls.map((url) => openCopy(url, lagMost_ms));
  let current: ReadCopy | null = null;
  /** Reads wait for this while they move to another copy. */
  let turning: Promise<void> = Promise.resolve();
  const told = new Map<ReadCopy | null, string>();

  /** Says once what has changed: about one copy, or about where reads go. */
  function tell(about: ReadCopy | null, message: string): void {
    if (told.get(about) !== message && message !== '') log(message);
    told.set(about, message);
  }

  const problems = {
    near: () => '',
    behind: ({ name }: ReadCopy) => `The read replica ${name} is more than ${lagMost_ms / 1000} s behind.`,
    away: ({ name }: ReadCopy) => `The read replica ${name} does not answer.`,
    foreign: ({ name }: ReadCopy) => `${name} in DATABASE_READ_URL is not a streaming replica of DATABASE_URL.`,
  };
  const seeState = (copy: ReadCopy) => tell(copy, problems[copy.state](copy));

  /** Nothing that a reader saw may be missing afterwards, so none reads while the copy catches up with the primary. */
  async function turnTo(copy: ReadCopy): Promise<void> {
    const done = (async () => {
      const { place } = await within(patience_ms, readWritten(primary.sql));
      if (await copy.reaches(place, turn_ms)) current = copy;
    })();
    turning = settle(done);
    await done;
  }

  /** Whether reads go to it now. One that is far behind would keep readers waiting for nothing, so it catches up first. */
  async function take(copy: ReadCopy, place: number): Promise<boolean> {
    if (!(await copy.reaches(place, turn_ms))) return false;
    await turnTo(copy);
    return current === copy;
  }

  async function look(): Promise<void> {
    // Without the primary nobody knows how far behind a copy is, and the one in use is all there is.
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
    tell(null, current === null ? 'Reads go to the primary.' : `Reads go to the read replica ${current.name}.`);
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
