import { sql } from 'drizzle-orm';
import type { ArtifactStore } from '../artifacts/artifact-store.ts';
import { prepared, value } from '../connection/statement.ts';
import { atOnce, type Transaction } from '../connection/transaction.ts';
import type { Packed } from '../copy/packing.ts';

/** Uploaded bytes. */
export interface NewArtifact {
  /** SHA-256 and size refer to the uncompressed bytes. */
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
  /** Position of its bytes in the combined parameter, from 1, and their length; null if stored elsewhere. */
  from: number | null;
  length: number;
}

// Inserts in key order, so that concurrent transactions do not deadlock. Existing rows are locked without a change; see
// `lockArtifact`.
const insertAll = prepared<{ artifacts: string; bytes: Uint8Array }, { sha256: string }>(sql`
  insert into artifacts (sha256, bytes, packing, place, size, media_type)
  select g.sha256, substring(${value('bytes')}::bytea from g."from" for g.length), g.packing, g.place, g.size, g."mediaType"
  from jsonb_to_recordset(${value('artifacts')}::jsonb)
    as g(sha256 text, "from" int, length int, packing text, place text, size int, "mediaType" text)
  order by g.sha256
  on conflict (sha256) do update set size = artifacts.size where false
  returning sha256`);

/**
 * Stores artifact rows and their bytes, before the commit, so that no row lacks its bytes. Returns the new ones. Until the
 * transaction ends, other submissions or reviews of the same bytes wait; see `lockArtifact`.
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
