import { and, asc, eq, gt, isNotNull, isNull } from 'drizzle-orm';
import { type ArtifactRow, type ArtifactStore, hashInKey, objectKey } from '../artifacts/artifact-store.ts';
import type { Database } from '../client.ts';
import { artifacts } from '../schema/index.ts';
import type { Transaction } from '../transaction.ts';

type Db = Database['db'];

const stored = {
  sha256: artifacts.sha256,
  bytes: artifacts.bytes,
  packing: artifacts.packing,
  place: artifacts.place,
};

/** Artifacts whose bytes lie elsewhere than `place` says, by hash, after one of them. */
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

/** The row of an artifact, which nobody else moves or removes until the end of the transaction. */
async function lockRow(tx: Transaction, sha256: string): Promise<ArtifactRow | null> {
  const [row] = await tx.select(stored).from(artifacts).where(eq(artifacts.sha256, sha256)).for('update');
  return row ?? null;
}

/**
 * Moves the bytes of an artifact to where new ones go; false if they lie there already. They leave one place when they were
 * read from the other and found whole.
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
      // As they were sent: an object is not read twice for a smaller row.
      const bytes = await store.read(row);
      await tx.update(artifacts).set({ bytes, packing: null, place: null }).where(eq(artifacts.sha256, sha256));
    }
    return true;
  });
}

class RollBack extends Error {}

/**
 * Removes an object that no row names; false if one does. An upload of the same bytes under way has its row, or waits for
 * our end and then puts its object.
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
      // Holds the place of a row that is not there.
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
