import type { CheckedResult, SubmissionStatus } from '@inferboard/core/result';
import type { Source } from '@inferboard/core/source';
import { sql } from 'drizzle-orm';
import { type ArtifactStore, inDatabase } from '../artifacts/artifact-store.ts';
import type { Database } from '../client.ts';
import { fewRows } from '../copy.ts';
import { prepared, value } from '../statement.ts';
import { atOnce, type Transaction, transact } from '../transaction.ts';
import type { NewArtifact } from './artifact-insert.ts';
import { recentMemoryOf } from './recent-memory.ts';
import type { ResultRow, SubmissionRow } from './row-types.ts';
import { storeSubmissions } from './submissions-store.ts';

/** Everything that one upload stores. */
export interface NewSubmission {
  accountId: string;
  artifact: NewArtifact;
  /** SHA-256 over bytes and metadata. */
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
  /** As a query would give it; null of a duplicate. */
  row: SubmissionRow | null;
}

/** What a caller does beside the storing; all of it once more where the transaction is tried again. */
export interface Witness {
  /** The transaction begins. */
  begun?: () => void;
  /** Results as a query would give them, batch by batch in the order of the artifact; . */
  storing?: (rows: ResultRow[]) => void;
  /** All is stored; what is done here belongs to the transaction. */
  stored?: (tx: Transaction, submission: StoredSubmission) => Promise<void>;
}

/** An upload, and who watches it being stored. */
export interface Upload {
  input: NewSubmission;
  witness: Witness;
}

// A lock that one of several waits for keeps all of them waiting. Statements are planned once: to plan what brings boards up
// to date takes longer than to run it for a few results.
const setUp = prepared<{ lockTimeout: string | null; planCacheMode: string | null }>(sql`
  select set_config('lock_timeout', coalesce(${value('lockTimeout')}, current_setting('lock_timeout')), true),
    set_config('plan_cache_mode', coalesce(${value('planCacheMode')}, current_setting('plan_cache_mode')), true)`);

/** Stores uploads in one transaction, and lets each witness do what belongs to it: all of it is there after the commit, or none. */
export async function insertTogether(
  db: Database['db'],
  uploads: readonly Upload[],
  store: ArtifactStore,
): Promise<StoredSubmission[]> {
  const memory = recentMemoryOf(db);
  const isFew = uploads.reduce((sum, { input }) => sum + input.results.length, 0) <= fewRows;
  const { submissions, remembered } = await transact(db, async (tx) => {
    for (const { witness } of uploads) witness.begun?.();
    const [, stored] = await atOnce([
      setUp(tx, {
        lockTimeout: uploads.length === 1 ? null : '500ms',
        planCacheMode: isFew ? 'force_generic_plan' : null,
      }),
      storeSubmissions(tx, uploads, { store, memory }),
    ]);
    await atOnce(
      uploads.map(({ witness }, at) => {
        const submission = stored.submissions[at];
        return submission && witness.stored?.(tx, submission);
      }),
    );
    return stored;
  });
  memory.keep(remembered);
  return submissions;
}

/**
 * Stores an upload with its bytes, results, findings and the statistics of every point it touches in one transaction:
 * all of it is there after the commit, or none. The same bytes and metadata from the same account are stored once, as long
 * as the first is not retracted; `duplicate` then says so and `id` is the first one's.
 */
export async function insertSubmission(
  db: Database['db'],
  input: NewSubmission,
  witness: Witness = {},
  store: ArtifactStore = inDatabase,
): Promise<StoredSubmission> {
  const [stored] = await insertTogether(db, [{ input, witness }], store);
  if (stored === undefined) throw new Error('an upload was stored without an answer');
  return stored;
}
