import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AwsClient } from 'aws4fetch';

/** The address and credentials of an S3 bucket. */
export interface BucketSettings {
  /** Base URL, such as `https://s3.example.org`. The bucket is the first segment of the path. */
  endpoint: string;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

export interface StoredObject {
  key: string;
  modifiedAt: Date;
}

/** A bucket. Keys contain only letters, digits, dots and slashes. */
export interface ObjectStore {
  /** Resolves once the store has verified the hash and acknowledged the bytes. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Returns null if the object does not exist. */
  get(key: string): Promise<Uint8Array | null>;
  /** Succeeds if the object does not exist. */
  remove(key: string): Promise<void>;
  /** Lists all objects with a key prefix, in the order of their keys. */
  list(prefix: string): AsyncGenerator<StoredObject>;
}

/** The store did not respond, or rejected the request. The error code survives transfer between threads. */
export class ObjectStoreError extends Error {
  readonly code = 'OBJECT_STORE';
}

/** Timeout of one attempt; an artifact has 16 MiB at most. */
const timeout_ms = 10_000;
const tries = 4;
const pauseFirst_ms = 100;

const isPassing = (status: number) => status >= 500 || status === 429 || status === 408;
const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex');

/** Values of an element in a list response. Our keys and timestamps contain nothing that XML escapes. */
const textsOf = (xml: string, element: string) =>
  [...xml.matchAll(new RegExp(`<${element}>([^<]*)</${element}>`, 'g'))].map(([, text = '']) => text);

/** A client for the S3 API. Retries transient errors, such as a busy store. */
export function openBucket({ endpoint, bucket, region, accessKeyId, secretAccessKey }: BucketSettings): ObjectStore {
  const base = `${endpoint.replace(/\/+$/, '')}/${bucket}`;
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: 0 });

  /** Reads the response with its body, so that a truncated body is retried, too. */
  async function tryOnce(method: string, address: string, bytes: Uint8Array | null) {
    // The store verifies the content hash and detects corrupted uploads.
    const headers = { 'x-amz-content-sha256': sha256(bytes ?? '') };
    const body = bytes === null ? null : new Uint8Array(bytes);
    const signal = AbortSignal.timeout(timeout_ms);
    const response = await client.fetch(address, { method, headers, body, signal, redirect: 'error' });
    return { status: response.status, body: new Uint8Array(await response.arrayBuffer()) };
  }

  async function ask(method: string, path: string, bytes: Uint8Array | null = null) {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await tryOnce(method, `${base}${path}`, bytes).catch((error: unknown) => {
        if (attempt === tries) throw new ObjectStoreError('the object store does not respond', { cause: error });
        return null;
      });
      const isDone = answer !== null && (!isPassing(answer.status) || attempt === tries);
      if (isDone) return answer;
      await sleep(pauseFirst_ms * 2 ** (attempt - 1) * (0.5 + Math.random()));
    }
  }

  /** The store's error message is for the operator's log. It may name the bucket, never the secret. */
  const refused = (method: string, { status, body }: { status: number; body: Uint8Array }) => {
    const [code = ''] = textsOf(new TextDecoder().decode(body.subarray(0, 4096)), 'Code');
    return new ObjectStoreError(`the object store returned ${status} ${code} for ${method}`.trimEnd());
  };

  return {
    async put(key, bytes) {
      const answer = await ask('PUT', `/${key}`, bytes);
      if (answer.status !== 200) throw refused('PUT', answer);
    },
    async get(key) {
      const answer = await ask('GET', `/${key}`);
      if (answer.status === 404 && textsOf(new TextDecoder().decode(answer.body), 'Code')[0] === 'NoSuchKey')
        return null;
      if (answer.status !== 200) throw refused('GET', answer);
      return answer.body;
    },
    async remove(key) {
      const answer = await ask('DELETE', `/${key}`);
      if (answer.status !== 204 && answer.status !== 200) throw refused('DELETE', answer);
    },
    async *list(prefix) {
      // List API version 1 continues after a given key, and every store supports it.
      for (let after = ''; ; ) {
        const query = new URLSearchParams({ prefix, ...(after && { marker: after }) });
        const answer = await ask('GET', `?${query}`);
        if (answer.status !== 200) throw refused('GET', answer);
        const xml = new TextDecoder().decode(answer.body);
        const times = textsOf(xml, 'LastModified');
        const keys = textsOf(xml, 'Key');
        yield* keys.map((key, place) => ({ key, modifiedAt: new Date(times[place] ?? '') }));
        const last = keys.at(-1);
        if (last === undefined || textsOf(xml, 'IsTruncated')[0] !== 'true') return;
        after = last;
      }
    },
  };
}
