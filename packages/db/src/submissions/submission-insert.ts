import type { CheckedResult, SubmissionStatus } from '@inferboard/core/subjects/result';
import type { Source } from '@inferboard/core/subjects/source';
import { sql } from 'drizzle-orm';
import { recentResultsCacheOf } from '../accounts/recent-results-cache.ts';
import { type ArtifactStore, inDatabase } from '../artifacts/artifact-store.ts';
import type { ResultRow, SubmissionRow } from '../boards/lists/row-types.ts';
import type { Database } from '../connection/client.ts';
import { prepared, value } from '../connection/statement.ts';
import { atOnce, type Transaction, transact } from '../connection/transaction.ts';
import { fewRows } from '../copy/copy.ts';
import type { NewArtifact } from './artifact-insert.ts';
import { storeSubmissions } from './submissions-store.ts';

/** All data that one upload stores. */
export interface NewSubmission {
  accountId: string;
  artifact: NewArtifact;
  /** SHA-256 of bytes and metadata. */
  fingerprint: string;
  tool: { name: string; version: string | null };
  parameters: Record<string, unknown>;
  ignored: string[];
  notes: string | null;
  sourceUrl: string | null;
  source?: Source | null;
  /** The managed run that measured it. */
  runId?: string;
  status: SubmissionStatus;
  results: CheckedResult[];
}

export interface StoredSubmission {
  id: string;
  duplicate: boolean;
  /** As a query would return it; null for a duplicate. */
  row: SubmissionRow | null;
}

/** Callbacks during storing. All of them run again if the transaction is retried. */
export interface InsertCallbacks {
  /** Called when the transaction begins. */
  begun?: () => void;
  /** Called with results as a query would return them, in batches, in artifact order. */
  storing?: (rows: ResultRow[]) => void;
  /** Called after storing, inside the transaction. */
  stored?: (tx: Transaction, submission: StoredSubmission) => Promise<void>;
}

/** An upload and its callbacks. */
export interface Upload {
  input: NewSubmission;
  callbacks: InsertCallbacks;
}

// While one upload of a group waits for a lock, all of them wait, so the lock timeout is short. The generic plan avoids
// replanning: planning the board update takes longer than running it for a few results.
const setUp = prepared<{ lockTimeout: string | null; planCacheMode: string | null }>(sql`
  select set_config('lock_timeout', coalesce(${value('lockTimeout')}, current_setting('lock_timeout')), true),
    set_config('plan_cache_mode', coalesce(${value('planCacheMode')}, current_setting('plan_cache_mode')), true)`);

/** Stores uploads in one transaction and runs each upload's callbacks. Atomic. */
export async function insertTogether(
  db: Database['db'],
  uploads: readonly Upload[],
  store: ArtifactStore,
): Promise<StoredSubmission[]> {
  const cache = recentResultsCacheOf(db);
  const isFew = uploads.reduce((sum, { input }) => sum + input.results.length, 0) <= fewRows;
  const { submissions, cacheEntries } = await transact(db, async (tx) => {
    for (const { callbacks } of uploads) callbacks.begun?.();
    const [, stored] = await atOnce([
      setUp(tx, {
        lockTimeout: uploads.length === 1 ? null : '500ms',
        planCacheMode: isFew ? 'force_generic_plan' : null,
      }),
      storeSubmissions(tx, uploads, { store, cache }),
    ]);
    await atOnce(
      uploads.map(({ callbacks }, at) => {
        const submission = stored.submissions[at];
        return submission && callbacks.stored?.(tx, submission);
      }),
    );
    return stored;
  });
  cache.store(cacheEntries);
  return submissions;
}

/**
 * Stores an upload with its bytes, results, findings and the statistics of every affected point in one transaction. The same
 * bytes and metadata from the same account are stored once, unless the first submission was retracted. For a repetition,
 * `duplicate` is true and `id` is that of the first submission.
 */
export async function insertSubmission(
  db: Database['db'],
  input: NewSubmission,
  callbacks: InsertCallbacks = {},
  store: ArtifactStore = inDatabase,
): Promise<StoredSubmission> {
  const [stored] = await insertTogether(db, [{ input, callbacks }], store);
  if (stored === undefined) throw new Error('an upload was stored without an answer');
  return stored;
}
