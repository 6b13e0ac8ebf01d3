import type { ArtifactStoreSettings } from '@inferboard/db/artifacts/artifact-store';
import type { Database } from '@inferboard/db/connection/client';
import { usesObjectStore } from '@inferboard/db/submissions/artifact-move';
import type { Log } from '../deps.ts';
import { type Env, SettingsError } from './env.ts';

/**
 * The bucket for artifact bytes, besides the database; null if none is configured.
 *
 * @throws SettingsError naming every missing setting
 */
export function artifactStoreOf(env: Env): ArtifactStoreSettings | null {
  const {
    S3_ENDPOINT: endpoint,
    S3_BUCKET: bucket,
    S3_ACCESS_KEY_ID: accessKeyId,
    S3_SECRET_ACCESS_KEY: secretAccessKey,
    S3_REGION: region,
  } = env;
  const takesNew = env.ARTIFACT_STORE === 's3';
  if (endpoint && bucket && accessKeyId && secretAccessKey)
    return { endpoint, bucket, region, accessKeyId, secretAccessKey, takesNew };
  const needed = {
    S3_ENDPOINT: endpoint,
    S3_BUCKET: bucket,
    S3_ACCESS_KEY_ID: accessKeyId,
    S3_SECRET_ACCESS_KEY: secretAccessKey,
  };
  const names = Object.entries(needed);
  if (!takesNew && names.every(([, value]) => value === undefined)) return null;
  const missing = names.flatMap(([name, value]) => (value === undefined ? [name] : []));
  throw new SettingsError(`Cannot start: the object store needs more settings. Set ${missing.join(', ')}.`);
}

/** Logs that artifacts cannot be read, if some are in a bucket and none is configured. Otherwise the first download would show it. */
export async function warnOfObjects({ db }: Database, log: Log): Promise<void> {
  // A database that fails here is reported by everything else that uses it.
  if (!(await usesObjectStore(db).catch(() => false))) return;
  log(
    'error',
    'Artifacts are in an object store, but none is configured: their downloads, reviews and npm run re-derive fail. ' +
      'Set S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY.',
  );
}
