import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AwsClient } from 'aws4fetch';

/** Where a bucket of an S3 API is, and who asks. */
export interface BucketSettings {
  /** Base of its addresses, such as `https://s3.example.org`; the bucket is the first part of the path. */
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

/** A bucket. Keys hold no more than letters, digits, points and slashes. */
export interface ObjectStore {
  /** Resolves once the store has acknowledged the bytes, whose hash it has checked. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Null if there is no such object. */
  get(key: string): Promise<Uint8Array | null>;
  /** Also where there is none. */
  remove(key: string): Promise<void>;
  /** All whose keys begin so, in the order of their keys. */
  list(prefix: string): AsyncGenerator<StoredObject>;
}

/** The store did not answer, or refused. Its code crosses threads. */
export class ObjectStoreError extends Error {
  readonly code = 'OBJECT_STORE';
}

/** For one try; an artifact has 16 MiB at most. */
const timeout_ms = 10_000;
const tries = 4;
const pauseFirst_ms = 100;

const isPassing = (status: number) => status >= 500 || status === 429 || status === 408;
const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex');

/** Values of an element in an answer to a list: keys as ours and times hold nothing that XML escapes. */
const textsOf = (xml: string, element: string) =>
  [...xml.matchAll(new RegExp(`<${element}>([^<]*)</${element}>`, 'g'))].map(([, text = '']) => text);

/** A store that speaks the S3 API. What passes, such as a store that is busy, is tried again. */
export function openBucket({ endpoint, bucket, region, accessKeyId, secretAccessKey }: BucketSettings): ObjectStore {
  const base = `${endpoint.replace(/\/+$/, '')}/${bucket}`;
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: 0 });

  /** The answer with its body, so that a body that breaks off is tried again as well. */
  async function tryOnce(method: string, address: string, bytes: Uint8Array | null) {
    // By the hash of what is sent the store notices what was damaged on its way.
    const headers = { 'x-amz-content-sha256': sha256(bytes ?? '') };
    const body = bytes === null ? null : new Uint8Array(bytes);
    const signal = AbortSignal.timeout(timeout_ms);
    const response = await client.fetch(address, { method, headers, body, signal, redirect: 'error' });
    return { status: response.status, body: new Uint8Array(await response.arrayBuffer()) };
  }

  async function ask(method: string, path: string, bytes: Uint8Array | null = null) {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await tryOnce(method, `${base}${path}`, bytes).catch((error: unknown) => {
        if (attempt === tries) throw new ObjectStoreError('the object store does not answer', { cause: error });
        return null;
      });
      const isDone = answer !== null && (!isPassing(answer.status) || attempt === tries);
      if (isDone) return answer;
      await sleep(pauseFirst_ms * 2 ** (attempt - 1) * (0.5 + Math.random()));
    }
  }

  /** What the store said is for the log of the operator; it may name the bucket, never the secret. */
  const refused = (method: string, { status, body }: { status: number; body: Uint8Array }) => {
    const [code = ''] = textsOf(new TextDecoder().decode(body.subarray(0, 4096)), 'Code');
    return new ObjectStoreError(`the object store answers ${method} with ${status} ${code}`.trimEnd());
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
      // The first version of the list goes on from a key of ours, and every store has it.
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
