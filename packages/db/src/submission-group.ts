import type { ArtifactStore } from './artifacts/artifact-store.ts';
import type { Database } from './client.ts';
import { isConnectionLost } from './errors.ts';
import { modelKeyOf } from './queries/result-anchors.ts';
import {
  insertSubmission,
  insertTogether,
  type NewSubmission,
  type StoredSubmission,
  type Upload,
  type Witness,
} from './queries/submission-insert.ts';

/** How long an upload waits for others that are about to come, at most. */
const window_ms = 2;
/** Uploads that are stored in one transaction, and the results of all of them. A larger upload is stored by itself. */
const uploadsMost = 32;
const resultsMost = 250;
/**
 * Transactions at a time. What could have gone with one that runs waits for its end, for many together cost little more
 * than one; but not for long where it takes long, for it may wait for a lock of somebody else's. What would have to wait
 * for its locks goes with others after it.
 */
const runningMost = 4;
/** So many need not wait: while the database works on one transaction, the next is made. */
const enough = 4;
const slow_ms = 20;
/** What runs for longer waits for somebody else's lock, and does not count as one that runs. */
const stuck_ms = 1000;

interface Waiting extends Upload {
  /** When it came. */
  since: number;
  systems: ReadonlySet<string>;
  resolve: (stored: StoredSubmission) => void;
  reject: (error: unknown) => void;
}

/** A place in the group for an upload that is being read. */
export interface Seat {
  /**
   * Stores the upload, together with others where some come at the same time. What it throws concerns this upload alone.
   */
  insert(input: NewSubmission, witness: Witness): Promise<StoredSubmission>;
  /** Gives the place up, where it is still taken. */
  leave(): void;
}

export interface SubmissionGroup {
  /** Others wait a moment for the upload that takes a place. */
  join(): Seat;
}

/**
 * True of uploads that may be stored in one transaction: they do not have the same bytes, and are of one account or have no
 * model in common, for what different accounts say of a model is compared.
 */
export function canGoTogether(a: NewSubmission, b: NewSubmission): boolean {
  if (a.artifact.sha256 === b.artifact.sha256) return false;
  if (a.accountId === b.accountId) return true;
  const models = new Set(a.results.map(modelKeyOf));
  return !b.results.some((result) => models.has(modelKeyOf(result)));
}

/** What is measured by results, in a form that is the same for the same. */
function systemsOf({ results }: NewSubmission): Set<string> {
  // Most results share the object.
  return new Set([...new Set(results.map(({ system }) => system))].map((system) => JSON.stringify(system)));
}

/** True of uploads in two transactions one of which waits for the end of the other: the points of a system are locked. */
const mustWait = (a: Waiting, b: Waiting): boolean => [...a.systems].some((system) => b.systems.has(system));

/**
 * Stores uploads that come together in one transaction. A transaction that fails, or waits for a lock, is taken apart, and
 * each of its uploads is stored by itself. Nothing is answered before its commit.
 */
export function createSubmissionGroup(db: Database['db'], store: ArtifactStore): SubmissionGroup {
  const waiting: Waiting[] = [];
  let expected = 0;
  /** Uploads that were answered last: their clients are likely to send the next at once. When the last came or went. */
  let answered = 0;
  let changed = 0;
  const running = new Set<{ uploads: readonly Waiting[]; since: number }>();
  let timer: NodeJS.Timeout | null = null;

  /** Those that are stored next: the one that came first, and all that can go with it. */
  const take = (): Waiting[] => {
    const taken: Waiting[] = [];
    let results = 0;
    for (const one of [...waiting]) {
      const count = one.input.results.length;
      const fits = taken.length < uploadsMost && results + count <= resultsMost;
      if (taken.length > 0 && !(fits && taken.every(({ input }) => canGoTogether(one.input, input)))) continue;
      taken.push(one);
      waiting.splice(waiting.indexOf(one), 1);
      results += count;
    }
    return taken;
  };

  const storeAlone = async ({ input, witness, resolve, reject }: Waiting): Promise<void> => {
    try {
      resolve(await insertSubmission(db, input, witness, store));
    } catch (error) {
      reject(error);
    }
  };

  const run = async (taken: readonly Waiting[]): Promise<void> => {
    const [first] = taken;
    if (first !== undefined && taken.length === 1) return storeAlone(first);
    try {
      const stored = await insertTogether(db, taken, store);
      for (const [at, { resolve, reject }] of taken.entries()) {
        const one = stored[at];
        if (one === undefined) reject(new Error('an upload was stored without an answer'));
        else resolve(one);
      }
    } catch (error) {
      // Where the connection is gone, whether it is stored is for the next request to find out.
      if (isConnectionLost(error)) for (const { reject } of taken) reject(error);
      else await Promise.all(taken.map(storeAlone));
    }
  };

  /** How long the first one that waits should wait for others, or for the end of a transaction, in milliseconds. */
  const patience = (first: Waiting): number => {
    const now = performance.now();
    const atWork = [...running].filter(({ since }) => now < since + stuck_ms);
    if (atWork.length >= runningMost) return Math.min(...atWork.map(({ since }) => since)) + stuck_ms - now;
    const isMore = expected + answered > 0 && waiting.length < uploadsMost;
    // Without that, those that wait and those that were just answered would take turns for good.
    const since = waiting.length < enough ? Math.max(first.since, changed) : first.since;
    const isEnough = waiting.length >= enough && atWork.length === 1;
    const ofRunning = (isEnough ? [] : atWork)
      .filter(({ uploads }) => uploads.every(({ input }) => canGoTogether(first.input, input)))
      .map(({ since }) => since + slow_ms - now);
    const ofSystem = atWork
      .filter(({ uploads }) => uploads.some((upload) => mustWait(first, upload)))
      .map(({ since }) => since + stuck_ms - now);
    return Math.max(isMore ? since + window_ms - now : 0, ...ofRunning, ...ofSystem);
  };

  const next = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    const [first] = waiting;
    if (first === undefined) return;
    const left = patience(first);
    if (left > 0) {
      timer = setTimeout(next, left);
      return;
    }
    const one = { uploads: take(), since: performance.now() };
    running.add(one);
    answered = 0;
    run(one.uploads).finally(() => {
      running.delete(one);
      answered = one.uploads.length;
      changed = performance.now();
      next();
    });
    next();
  };

  return {
    join() {
      let isSeated = true;
      expected += 1;
      answered = Math.max(0, answered - 1);
      changed = performance.now();
      const leave = () => {
        if (!isSeated) return;
        isSeated = false;
        expected -= 1;
        next();
      };
      return {
        leave,
        insert(input, witness) {
          if (input.results.length > resultsMost) {
            leave();
            return insertSubmission(db, input, witness, store);
          }
          const { promise, resolve, reject } = Promise.withResolvers<StoredSubmission>();
          const systems = systemsOf(input);
          waiting.push({ input, witness, systems, since: performance.now(), resolve, reject });
          if (isSeated) leave();
          else next();
          return promise;
        },
      };
    },
  };
}

const groups = new WeakMap<Database['db'], Map<ArtifactStore, SubmissionGroup>>();

/** The group of all who store in a database, and put artifacts into a store, in this process. */
export function submissionGroupOf(db: Database['db'], store: ArtifactStore): SubmissionGroup {
  const byStore = groups.get(db) ?? new Map<ArtifactStore, SubmissionGroup>();
  groups.set(db, byStore);
  const group = byStore.get(store) ?? createSubmissionGroup(db, store);
  byStore.set(store, group);
  return group;
}
