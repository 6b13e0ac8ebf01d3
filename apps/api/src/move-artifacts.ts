// Moves the bytes of artifacts to where ARTIFACT_STORE says that new ones go, while the service runs or not, and removes from
// the bucket what no artifact names: ARTIFACT_STORE=s3 S3_ENDPOINT=... npm run move-artifacts
import { createArtifactStore } from '@inferboard/db/artifacts/artifact-store';
import { moveArtifacts } from '@inferboard/db/artifacts/move-artifacts';
import { createDatabase } from '@inferboard/db/client';
import { artifactStoreOf } from './artifact-settings.ts';
import { parseEnv, SettingsError } from './env.ts';
import { openDatabase, type Release, releaseAll } from './open-database.ts';

const releases: Release[] = [];
const log = (level: string, message: string) => (level === 'error' ? console.error(message) : console.log(message));
try {
  const env = parseEnv(process.env);
  const settings = artifactStoreOf(env);
  if (settings === null)
    throw new SettingsError('Set S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY.');
  const database = createDatabase(await openDatabase(env, log, releases), { poolSize: 2 });
  releases.push(() => database.close());
  const tell = (moved: number) => console.log(`${moved} moved ...`);
  const { moved, swept, failed } = await moveArtifacts(database, createArtifactStore(settings), tell, new Date());
  const to = settings.takesNew ? `the bucket ${settings.bucket}` : 'the database';
  console.log(`${moved} moved to ${to}; ${swept} objects removed that no artifact names`);
  for (const { sha256, reason } of failed) console.error(`${sha256} stays where it is: ${reason}`);
  if (failed.length > 0) process.exitCode = 1;
} catch (error) {
  console.error(error instanceof SettingsError ? error.message : error);
  process.exitCode = 1;
} finally {
  await releaseAll(releases, log);
}
