import type { ArtifactStore } from '../artifacts/artifact-store.ts';
import type { Database } from '../connection/client.ts';
import { isConnectionLost } from '../connection/errors.ts';
import { modelKeyOf } from './result-anchors.ts';
import {
  type InsertCallbacks,
  insertSubmission,
  insertTogether,
  type NewSubmission,
  type StoredSubmission,
  type Upload,
} from './submission-insert.ts';

/** Maximum time that an upload waits for expected ones. */
const window_ms = 2;
/** Maximum uploads per transaction, and their total results. A larger upload is stored alone. */
const uploadsMost = 32;
const resultsMost = 250;
/**
 * Maximum concurrent transactions. An upload that could have joined a running transaction waits for its end, because a group
 * costs little more than one upload. The wait is short, because the transaction may itself wait for a lock. Uploads that would
 * wait for a running transaction's locks are grouped after it.
 */
const runningMost = 4;
/** With this many waiting uploads, prepare the next transaction while one runs. */
const enough = 4;
/**
 * Limits of the time that an upload waits for the end of a running transaction: twice the usual duration. On a busy machine
 * every transaction runs longer, and more transactions at a time would only be smaller.
 */
const slowLeast_ms = 20;
const slowMost_ms = 100;
/** A transaction that runs longer waits for a foreign lock, and does not count as running. */
const stuck_ms = 1000;

interface Waiting extends Upload {
  /** Arrival time. */
  since: number;
  systems: ReadonlySet<string>;
  resolve: (stored: StoredSubmission) => void;
  reject: (error: unknown) => void;
}

/** A reservation in the group for an upload that is still being read. */
export interface Reservation {
  /** Stores the upload, together with concurrent ones. Errors concern this upload only. */
  insert(input: NewSubmission, callbacks: InsertCallbacks): Promise<StoredSubmission>;
  /** Cancels the reservation if it is unused. */
  cancel(): void;
}

export interface SubmissionGroup {
  /** Reserves a place: other uploads wait briefly for it. */
  reserve(): Reservation;
}

/**
 * True if two uploads may share a transaction. They must have different bytes, and belong to one account or have no model in
 * common, because results of different accounts for one model are compared.
 */
export function canGoTogether(a: NewSubmission, b: NewSubmission): boolean {
  if (a.artifact.sha256 === b.artifact.sha256) return false;
  if (a.accountId === b.accountId) return true;
  const models = new Set(a.results.map(modelKeyOf));
  return !b.results.some((result) => models.has(modelKeyOf(result)));
}

/** Canonical text of the systems in an upload. */
function systemsOf({ results }: NewSubmission): Set<string> {
  // Most results share the same object.
  return new Set([...new Set(results.map(({ system }) => system))].map((system) => JSON.stringify(system)));
}

/** True if one of two transactions would wait for the other, because the points of a shared system are locked. */
const mustWait = (a: Waiting, b: Waiting): boolean => [...a.systems].some((system) => b.systems.has(system));

/**
 * Stores concurrent uploads in one transaction. If it fails or waits for a lock, each of its uploads is stored separately.
 * Uploads resolve only after the commit.
 */
export function createSubmissionGroup(db: Database['db'], store: ArtifactStore): SubmissionGroup {
  const waiting: Waiting[] = [];
  let expected = 0;
  /**
   * Number of uploads in the last response, whose clients are likely to send the next ones at once; and the time of the last
   * arrival or response.
   */
  let answered = 0;
  let changed = 0;
  const running = new Set<{ uploads: readonly Waiting[]; since: number }>();
  let timer: NodeJS.Timeout | null = null;
  /** Moving average of the duration of transactions. */
  let usual_ms = 0;

  /** Takes the first waiting upload and all that can share its transaction. */
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

  const storeAlone = async ({ input, callbacks, resolve, reject }: Waiting): Promise<void> => {
    try {
      resolve(await insertSubmission(db, input, callbacks, store));
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
      // After a lost connection, the commit is uncertain. The client's next request finds out.
      if (isConnectionLost(error)) for (const { reject } of taken) reject(error);
      else await Promise.all(taken.map(storeAlone));
    }
  };

  /** Milliseconds that the first upload should wait for others, or for the end of a transaction. */
  const patience = (first: Waiting): number => {
    const now = performance.now();
    const atWork = [...running].filter(({ since }) => now < since + stuck_ms);
    if (atWork.length >= runningMost) return Math.min(...atWork.map(({ since }) => since)) + stuck_ms - now;
    const isMore = expected + answered > 0 && waiting.length < uploadsMost;
    // Otherwise waiting uploads and those of the last response would alternate permanently.
    const since = waiting.length < enough ? Math.max(first.since, changed) : first.since;
    const isEnough = waiting.length >= enough && atWork.length === 1;
    const slow_ms = Math.min(slowMost_ms, Math.max(slowLeast_ms, 2 * usual_ms));
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
      usual_ms += (changed - one.since - usual_ms) / 8;
      next();
    });
    next();
  };

  return {
    reserve() {
      let isOpen = true;
      expected += 1;
      answered = Math.max(0, answered - 1);
      changed = performance.now();
      const cancel = () => {
        if (!isOpen) return;
        isOpen = false;
        expected -= 1;
        next();
      };
      return {
        cancel,
        insert(input, callbacks) {
          if (input.results.length > resultsMost) {
            cancel();
            return insertSubmission(db, input, callbacks, store);
          }
          const { promise, resolve, reject } = Promise.withResolvers<StoredSubmission>();
          const systems = systemsOf(input);
          waiting.push({ input, callbacks, systems, since: performance.now(), resolve, reject });
          if (isOpen) cancel();
          else next();
          return promise;
        },
      };
    },
  };
}

const groups = new WeakMap<Database['db'], Map<ArtifactStore, SubmissionGroup>>();

/** The group for a database and an object store in this process. */
export function submissionGroupOf(db: Database['db'], store: ArtifactStore): SubmissionGroup {
  const byStore = groups.get(db) ?? new Map<ArtifactStore, SubmissionGroup>();
  groups.set(db, byStore);
  const group = byStore.get(store) ?? createSubmissionGroup(db, store);
  byStore.set(store, group);
  return group;
}
