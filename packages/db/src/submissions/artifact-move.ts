import { and, asc, desc, eq, gt, isNotNull, isNull } from 'drizzle-orm';
import { type ArtifactRow, type ArtifactStore, hashInKey, objectKey } from '../artifacts/artifact-store.ts';
import type { Database } from '../connection/client.ts';
import type { Transaction } from '../connection/transaction.ts';
import { artifacts, submissions } from '../schema/index.ts';

type Db = Database['db'];

const stored = {
  sha256: artifacts.sha256,
  bytes: artifacts.bytes,
  packing: artifacts.packing,
  place: artifacts.place,
};

/** Artifacts stored elsewhere than `place` states, by hash, after a given one. */
export async function listMisplaced(
  db: Db,
  { place, after, limit }: { place: 's3' | null; after: string; limit: number },
): Promise<string[]> {
  const isElsewhere =
    place === null ? isNotNull(artifacts.place) : and(isNull(artifacts.place), isNotNull(artifacts.bytes));
  const rows = await db
    .select({ sha256: artifacts.sha256 })
    .from(artifacts)
    .where(and(isElsewhere, gt(artifacts.sha256, after)))
    .orderBy(asc(artifacts.sha256))
    .limit(limit);
  return rows.map(({ sha256 }) => sha256);
}

/** Whether an artifact of the newest 100 submissions is in an object store. All artifacts would take minutes: no index has the place. */
export async function usesObjectStore(db: Db): Promise<boolean> {
  const newest = db
    .select({ sha256: submissions.artifactSha256 })
    .from(submissions)
    .orderBy(desc(submissions.id))
    .limit(100)
    .as('newest');
  const rows = await db
    .select({ sha256: artifacts.sha256 })
    .from(newest)
    .innerJoin(artifacts, eq(artifacts.sha256, newest.sha256))
    .where(isNotNull(artifacts.place))
    .limit(1);
  return rows.length > 0;
}

/** Locks an artifact's row against moves and removal until the transaction ends. */
async function lockRow(tx: Transaction, sha256: string): Promise<ArtifactRow | null> {
  const [row] = await tx.select(stored).from(artifacts).where(eq(artifacts.sha256, sha256)).for('update');
  return row ?? null;
}

/**
 * Moves an artifact's bytes to the configured store; false if they are already there. Deletes the source after reading back and
 * verifying the copy.
 *
 * @throws ObjectStoreError
 */
export async function moveArtifact(db: Db, store: ArtifactStore, sha256: string): Promise<boolean> {
  return db.transaction(async (tx) => {
    const row = await lockRow(tx, sha256);
    if (row === null || (row.place === 's3') === store.takesNew) return false;
    if (store.takesNew) {
      if (row.bytes === null) return false;
      await store.put(sha256, { bytes: row.bytes, packing: row.packing });
      await store.read({ ...row, bytes: null, place: 's3' });
      await tx.update(artifacts).set({ bytes: null, place: 's3' }).where(eq(artifacts.sha256, sha256));
    } else {
      // Stores the bytes uncompressed: a smaller row is not worth reading the object twice.
      const bytes = await store.read(row);
      await tx.update(artifacts).set({ bytes, packing: null, place: null }).where(eq(artifacts.sha256, sha256));
    }
    return true;
  });
}

class RollBack extends Error {}

/**
 * Removes an object that no row references; false if one does. A concurrent upload of the same bytes either has its row
 * already, or waits for this transaction and then stores its object.
 *
 * @throws ObjectStoreError
 */
export async function removeOrphan(db: Db, store: ArtifactStore, key: string): Promise<boolean> {
  const sha256 = hashInKey(key);
  if (sha256 === null || store.objects === null) return false;
  const { objects } = store;
  let isRemoved = false;
  try {
    await db.transaction(async (tx) => {
      // A placeholder row that blocks a concurrent insert.
      await tx.insert(artifacts).values({ sha256, size: 0, mediaType: '' }).onConflictDoNothing();
      const row = await lockRow(tx, sha256);
      if (row?.place === 's3' && objectKey(row) === key) return;
      await objects.remove(key);
      isRemoved = true;
      throw new RollBack();
    });
  } catch (error) {
    if (!(error instanceof RollBack)) throw error;
  }
  return isRemoved;
}
