import { sql } from 'drizzle-orm';
import type { ArtifactStore } from '../artifacts/artifact-store.ts';
import type { Packed } from '../packing.ts';
import { prepared, value } from '../statement.ts';
import { atOnce, type Transaction } from '../transaction.ts';

/** Bytes as they were sent. */
export interface NewArtifact {
  /** SHA-256 and size are those of the bytes as sent. */
  sha256: string;
  size: number;
  stored: Packed;
  mediaType: string;
}

interface Described {
  sha256: string;
  size: number;
  mediaType: string;
  packing: string | null;
  place: string | null;
  /** Where its bytes are among those of all, from 1, and how many; null where they lie elsewhere. */
  from: number | null;
  length: number;
}

// Inserted in the order of their keys, so that simultaneous transactions wait for each other in turn. What is there already
// is locked, though it is not changed: see `lockArtifact`.
const insertAll = prepared<{ artifacts: string; bytes: Uint8Array }, { sha256: string }>(sql`
  insert into artifacts (sha256, bytes, packing, place, size, media_type)
  select g.sha256, substring(${value('bytes')}::bytea from g."from" for g.length), g.packing, g.place, g.size, g."mediaType"
  from jsonb_to_recordset(${value('artifacts')}::jsonb)
    as g(sha256 text, "from" int, length int, packing text, place text, size int, "mediaType" text)
  order by g.sha256
  on conflict (sha256) do update set size = artifacts.size where false
  returning sha256`);

/**
 * Their rows, and their bytes where new ones go: before the commit, so that no row is without them. Answers those that were
 * not there. Until the transaction ends, others that submit or review the same bytes wait: see `lockArtifact`.
 */
export async function storeArtifacts(
  tx: Transaction,
  artifacts: readonly NewArtifact[],
  store: ArtifactStore,
): Promise<Set<string>> {
  const parts = store.takesNew ? [] : artifacts.map(({ stored }) => stored.bytes);
  let from = 1;
  const described = artifacts.map(({ sha256, size, mediaType, stored: { bytes, packing } }): Described => {
    const what = { sha256, size, mediaType, packing, length: bytes.length };
    if (store.takesNew) return { ...what, from: null, place: 's3' };
    from += bytes.length;
    return { ...what, from: from - bytes.length, place: null };
  });
  const bytes = parts.length === 1 ? (parts[0] as Uint8Array) : Buffer.concat(parts);
  const fresh = new Set(
    (await insertAll(tx, { artifacts: JSON.stringify(described), bytes })).map(({ sha256 }) => sha256),
  );
  if (store.takesNew)
    await atOnce(artifacts.map(({ sha256, stored }) => (fresh.has(sha256) ? store.put(sha256, stored) : null)));
  return fresh;
}
