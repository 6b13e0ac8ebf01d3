// Moves artifact bytes to the store set in ARTIFACT_STORE, while the service runs or not. Removes objects from the bucket that no
// artifact refers to:
// ARTIFACT_STORE=s3 S3_ENDPOINT=... npm run move-artifacts
import { createArtifactStore } from '@inferboard/db/artifacts/artifact-store';
import { moveArtifacts } from '@inferboard/db/artifacts/move-artifacts';
import { createDatabase } from '@inferboard/db/connection/client';
import { artifactStoreOf } from '../startup/artifact-settings.ts';
import { SettingsError } from '../startup/env.ts';
import { openDatabase } from '../startup/open-database.ts';
import { requireMigrated, requireNoArguments, runCommand } from './run-command.ts';

await runCommand(process.env, async ({ env, log, releases }) => {
  requireNoArguments(
    'ARTIFACT_STORE=s3 S3_ENDPOINT=... npm run move-artifacts moves artifacts to the store of ARTIFACT_STORE.',
  );
  const settings = artifactStoreOf(env);
  if (settings === null)
    throw new SettingsError('Set S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY.');
  const database = createDatabase(await openDatabase(env, log, releases), { poolSize: 2 });
  releases.push(() => database.close());
  await requireMigrated(database);
  const showProgress = (moved: number) => console.log(`${moved} moved ...`);
  const { moved, swept, failed } = await moveArtifacts(
    database,
    createArtifactStore(settings),
    showProgress,
    new Date(),
  );
  const to = settings.takesNew ? `the bucket ${settings.bucket}` : 'the database';
  console.log(`${moved} moved to ${to}; ${swept} unused objects removed`);
  for (const { sha256, reason } of failed) console.error(`${sha256} was not moved: ${reason}`);
  if (failed.length > 0) process.exitCode = 1;
});
