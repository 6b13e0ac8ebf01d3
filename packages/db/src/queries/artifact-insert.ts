import { sql } from 'drizzle-orm';
import type { ArtifactStore } from '../artifacts/artifact-store.ts';
import type { Packed } from '../packing.ts';
import { prepared, value } from '../statement.ts';
import type { Transaction } from '../transaction.ts';

/** Bytes as they were sent. */
export interface NewArtifact {
  /** SHA-256 and size are those of the bytes as sent. */
  sha256: string;
  size: number;
  stored: Packed;
  mediaType: string;
}

const insertArtifact = prepared<
  {
    sha256: string;
    bytes: Uint8Array | null;
    packing: string | null;
    place: string | null;
    size: number;
    mediaType: string;
  },
  { sha256: string }
>(sql`
  insert into artifacts (sha256, bytes, packing, place, size, media_type)
  values (${value('sha256')}, ${value('bytes')}, ${value('packing')}, ${value('place')}, ${value('size')}, ${value('mediaType')})
  on conflict do nothing returning sha256`);

/** Its row, and its bytes where new ones go: before the commit, so that no row is without them. False if it was there. */
export async function storeArtifact(
  tx: Transaction,
  { sha256, size, stored, mediaType }: NewArtifact,
  store: ArtifactStore,
): Promise<boolean> {
  const { packing } = stored;
  const where = store.takesNew ? { bytes: null, place: 's3' } : { bytes: stored.bytes, place: null };
  const fresh = await insertArtifact(tx, { sha256, packing, size, mediaType, ...where });
  if (fresh.length === 0) return false;
  if (store.takesNew) await store.put(sha256, stored);
  return true;
}
