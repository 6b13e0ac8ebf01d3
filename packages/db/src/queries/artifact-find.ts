import { eq } from 'drizzle-orm';
import { unpack } from '../packing.ts';
import { artifacts, submissions } from '../schema/index.ts';
import type { Queryable } from '../transaction.ts';

/** The exact bytes that a submission uploaded. */
export async function findArtifactOfSubmission(
  db: Queryable,
  submissionId: string,
): Promise<{ sha256: string; bytes: Uint8Array; mediaType: string } | null> {
  const [row] = await db
    .select({
      sha256: artifacts.sha256,
      bytes: artifacts.bytes,
      packing: artifacts.packing,
      mediaType: artifacts.mediaType,
    })
    .from(submissions)
    .innerJoin(artifacts, eq(artifacts.sha256, submissions.artifactSha256))
    .where(eq(submissions.id, submissionId));
  if (row === undefined) return null;
  const { packing, bytes, ...artifact } = row;
  return { ...artifact, bytes: await unpack({ bytes, packing }) };
}
