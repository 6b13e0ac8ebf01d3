import { setTimeout as sleep } from 'node:timers/promises';
import { createDatabase, type Database } from './client.ts';
import { databaseProblem } from './errors.ts';
import { readReplayed, readWritten } from './queries/log-place.ts';

export interface ReplicaOptions {
  /** What it follows. */
  readonly primary: Database;
  readonly url: string;
  /** Told when reads move from one to the other, and why. */
  readonly log: (message: string) => void;
  /** How far behind, in milliseconds, what it shows may be. */
  readonly lagMost_ms?: number;
}

/** A copy of the database that follows it, for reads that may show what was so a moment ago. */
export interface Replica {
  /**
   * What `work` finds on the copy; null where the primary is to be asked: the copy is away, too far behind, or the work
   * failed there. When reads move from the primary to the copy, they show nothing that is older than what they showed.
   *
   * @throws where a statement took too long: it would on the primary too
   */
  read<T>(work: (database: Database) => Promise<T>): Promise<T | null>;
  readonly inUse: boolean;
  /** Behind the primary, as last seen; null where that is not known. */
  readonly lag_ms: number | null;
  close(): Promise<void>;
}

/** How often it is looked at. */
const tick_ms = 500;
/** What answers later than this counts as away. */
const patience_ms = 1000;
/** How long reads wait while the copy takes over the last of what the primary has shown. */
const turn_ms = 100;

interface Opened {
  database: Database;
  /** For looking at it: never behind what readers wait for. */
  watch: Database;
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const over = new AbortController();
  const late = sleep(ms, undefined, { signal: over.signal }).then(() => {
    throw new Error(`no answer in ${ms} ms`);
  });
  late.catch(() => {});
  return await Promise.race([work, late]).finally(() => over.abort());
}

/** Follows a replica from now on. Resolves once it was looked at, in use or not. */
export async function openReplica(options: ReplicaOptions): Promise<Replica> {
  const { primary, url, log, lagMost_ms = 5000 } = options;
  const closing = new AbortController();
  let opened = open();
  let inUse = false;
  /** Reads wait for this while they move from the primary to the copy. */
  let turning: Promise<void> = Promise.resolve();
  /** Places of the primary's log that the copy had not reached, and when they were written, oldest first. */
  let awaited: { place: number; at: number }[] = [];
  let lag_ms: number | null = null;
  let told = '';

  function open(): Opened {
    const database = createDatabase(url, { connectTimeout_s: 2 });
    return { database, watch: createDatabase(url, { poolSize: 1, connectTimeout_s: 1 }) };
  }

  function tell(message: string): void {
    if (message !== told) log(message);
    told = message;
  }

  const settle = (work: Promise<unknown>): Promise<void> =>
    work.then(
      () => {},
      () => {},
    );

  /** What waits for it fails at once, and is asked of the primary. */
  function leaveAway(left: Opened): void {
    if (left !== opened) return;
    inUse = false;
    lag_ms = null;
    opened = open();
    void settle(left.database.close(0));
    void settle(left.watch.close(0));
    tell('The read replica does not answer: reads go to the primary.');
  }

  function leaveBehind(): void {
    inUse = false;
    tell(`The read replica is more than ${lagMost_ms / 1000} s behind: reads go to the primary.`);
  }

  async function reaches(place: number, ms: number): Promise<boolean> {
    for (const from = performance.now(); ; await sleep(2)) {
      const replayed = await within(patience_ms, readReplayed(opened.watch.sql));
      if (replayed === null) return false;
      if (replayed.place >= place) return true;
      if (performance.now() - from > ms) return false;
    }
  }

  /** Nothing that a reader saw on the primary may be missing afterwards, so none reads while the copy catches up. */
  function turn(): Promise<void> {
    const done = (async () => {
      const { place } = await within(patience_ms, readWritten(primary.sql));
      inUse = await reaches(place, turn_ms);
    })();
    turning = settle(done);
    return done;
  }

  function measureLag(place: number, at: number): number {
    awaited = awaited.filter((mark) => mark.place > place);
    const oldest = awaited[0];
    return oldest === undefined ? 0 : at - oldest.at;
  }

  async function look(): Promise<void> {
    const at = performance.now();
    const [written, replayed] = await Promise.all([
      // Without the primary nobody knows how far behind the copy is, and it is all there is.
      within(patience_ms, readWritten(primary.sql)).catch(() => null),
      within(patience_ms, readReplayed(opened.watch.sql)).catch(() => undefined),
    ]);
    if (replayed === undefined) return leaveAway(opened);
    if (replayed === null || (written !== null && written.system !== replayed.system)) {
      inUse = false;
      lag_ms = null;
      return tell('DATABASE_READ_URL is not a streaming replica of DATABASE_URL: reads go to the primary.');
    }
    if (written !== null) awaited.push({ place: written.place, at });
    lag_ms = measureLag(replayed.place, performance.now());
    if (inUse) {
      if (lag_ms > lagMost_ms) leaveBehind();
      return;
    }
    // What is far behind would keep readers waiting for nothing.
    if (written === null || !(await reaches(written.place, turn_ms))) {
      awaited = awaited.slice(0, 1);
      return;
    }
    await turn();
    if (inUse) tell('Reads go to the read replica.');
  }

  const watch = async () => {
    while (!closing.signal.aborted) {
      await settle(sleep(tick_ms, undefined, { signal: closing.signal }));
      if (!closing.signal.aborted) await look().catch(() => leaveAway(opened));
    }
  };
  await look().catch(() => leaveAway(opened));
  if (!inUse) tell('The read replica cannot be used yet: reads go to the primary.');
  const watching = watch();

  return {
    async read(work) {
      await turning;
      if (!inUse) return null;
      const asked = opened;
      try {
        return await work(asked.database);
      } catch (error) {
        const problem = databaseProblem(error);
        if (problem === 'timeout') throw error;
        if (problem === 'down') leaveAway(asked);
        return null;
      }
    },
    get inUse() {
      return inUse;
    },
    get lag_ms() {
      return lag_ms;
    },
    async close() {
      closing.abort();
      await watching;
      await Promise.all([opened.database.close(), opened.watch.close(0)]);
    },
  };
}
