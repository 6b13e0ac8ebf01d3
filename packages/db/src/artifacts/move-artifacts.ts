import type { Database } from '../client.ts';
import { listMisplaced, moveArtifact, removeOrphan } from '../queries/artifact-move.ts';
import { type ArtifactStore, objectPrefix } from './artifact-store.ts';

const atOnce = 200;

/** Objects younger than this are left alone: their upload may still be under way. */
const restingHours = 24;

export interface Moved {
  moved: number;
  /** Objects that no artifact names any more, removed. */
  swept: number;
  /** Artifacts that could not be moved, and why: nothing of them has changed. */
  failed: { sha256: string; reason: string }[];
}

/**
 * Moves the bytes of all artifacts to where new ones go, one at a time, beside a running service; called again it goes on.
 * Then removes what lies in the bucket under no artifact.
 *
 * @param tell called with what has been moved so far, now and then
 */
export async function moveArtifacts(
  { db }: Database,
  store: ArtifactStore,
  tell: (moved: number) => void,
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
    tell(result.moved);
    after = last;
  }
  for await (const { key, modifiedAt } of store.objects?.list(objectPrefix) ?? []) {
    const isResting = now.getTime() - modifiedAt.getTime() > restingHours * 3_600_000;
    if (isResting && (await removeOrphan(db, store, key))) result.swept += 1;
  }
  return result;
}
