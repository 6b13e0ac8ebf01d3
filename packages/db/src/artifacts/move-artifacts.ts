import type { Database } from '../connection/client.ts';
import { listMisplaced, moveArtifact, removeOrphan } from '../submissions/artifact-move.ts';
import { type ArtifactStore, objectPrefix } from './artifact-store.ts';

const atOnce = 200;

/** Minimum age of removed objects: younger ones may belong to an upload in progress. */
const restingHours = 24;

export interface Moved {
  moved: number;
  /** Removed objects that no artifact references. */
  swept: number;
  /** Artifacts that could not be moved, with the reason. They are unchanged. */
  failed: { sha256: string; reason: string }[];
}

/**
 * Moves the bytes of all artifacts to the configured store, one at a time, while the service runs. A repeated call continues
 * where the last one stopped. Then removes unreferenced objects from the bucket.
 *
 * @param onProgress called periodically with the progress
 */
export async function moveArtifacts(
  { db }: Database,
  store: ArtifactStore,
  onProgress: (moved: number) => void,
  now: Date,
): Promise<Moved> {
  const result: Moved = { moved: 0, swept: 0, failed: [] };
  const place = store.takesNew ? 's3' : null;
  for (let after = ''; ; ) {
    const hashes = await listMisplaced(db, { place, after, limit: atOnce });
    for (const sha256 of hashes) {
      try {
        if (await moveArtifact(db, store, sha256)) result.moved += 1;
      } catch (error) {
        result.failed.push({ sha256, reason: error instanceof Error ? error.message : String(error) });
      }
    }
    const last = hashes.at(-1);
    if (last === undefined) break;
    onProgress(result.moved);
    after = last;
  }
  for await (const { key, modifiedAt } of store.objects?.list(objectPrefix) ?? []) {
    const isResting = now.getTime() - modifiedAt.getTime() > restingHours * 3_600_000;
    if (isResting && (await removeOrphan(db, store, key))) result.swept += 1;
  }
  return result;
}
