import { eq } from 'drizzle-orm';
import { type ArtifactStore, inDatabase } from '../artifacts/artifact-store.ts';
import type { Queryable } from '../connection/transaction.ts';
import { artifacts, submissions } from '../schema/index.ts';

/**
 * Returns the uploaded bytes of a submission.
 *
 * @throws ObjectStoreError if the object store cannot return them
 */
export async function findArtifactOfSubmission(
  db: Queryable,
  submissionId: string,
  store: ArtifactStore = inDatabase,
): Promise<{ sha256: string; bytes: Uint8Array; mediaType: string } | null> {
  const [row] = await db
    .select({
      sha256: artifacts.sha256,
      bytes: artifacts.bytes,
      packing: artifacts.packing,
      place: artifacts.place,
      mediaType: artifacts.mediaType,
    })
    .from(submissions)
    .innerJoin(artifacts, eq(artifacts.sha256, submissions.artifactSha256))
    .where(eq(submissions.id, submissionId));
  if (row === undefined) return null;
  const { sha256, mediaType } = row;
  return { sha256, mediaType, bytes: await store.read(row) };
}
