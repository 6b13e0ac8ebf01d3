import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BucketSettings } from '../../../packages/db/src/artifacts/object-store.ts';
import { freePort } from '../server.ts';

interface S3Server {
  run(): Promise<unknown>;
  close(): Promise<void>;
}

// The package has no types; the ones above cover its use here.
const S3rver = createRequire(import.meta.url)('@20minutes/s3rver') as new (options: object) => S3Server;

/** An S3-compatible server with one bucket that checks every signature. */
export interface ObjectServer {
  bucket: BucketSettings;
  /** Settings for the service. */
  settings: Record<string, string>;
  stop(): Promise<void>;
  /** Restarts it at the same address with its data. */
  start(): Promise<void>;
  remove(): Promise<void>;
}

export async function startObjectServer(): Promise<ObjectServer> {
  const directory = await mkdtemp(join(tmpdir(), 'inferboard-objects-'));
  const port = await freePort();
  // The only credentials that it accepts.
  const bucket: BucketSettings = {
    endpoint: `http://127.0.0.1:${port}`,
    bucket: 'inferboard-artifacts',
    region: 'us-east-1',
    accessKeyId: 'S3RVER',
    secretAccessKey: 'S3RVER',
  };
  const options = {
    directory,
    port,
    address: '127.0.0.1',
    silent: true,
    configureBuckets: [{ name: bucket.bucket, configs: [] }],
  };
  let server: S3Server | null = null;
  const start = async () => {
    server = new S3rver(options);
    await server.run();
  };
  const stop = async () => {
    const running = server;
    server = null;
    await running?.close();
  };
  await start();
  return {
    bucket,
    settings: {
      ARTIFACT_STORE: 's3',
      S3_ENDPOINT: bucket.endpoint,
      S3_BUCKET: bucket.bucket,
      S3_ACCESS_KEY_ID: bucket.accessKeyId,
      S3_SECRET_ACCESS_KEY: bucket.secretAccessKey,
    },
    start,
    stop,
    remove: async () => {
      await stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
