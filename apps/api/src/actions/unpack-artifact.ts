import { promisify } from 'node:util';
import { gunzip, zstdDecompress } from 'node:zlib';
import { DomainError } from '@inferboard/core/errors';
import { type ReadSubmission, readSubmission } from '@inferboard/core/submission/read-submission';

/** Bytes of an artifact at most, as sent and unpacked alike: a small archive must not become a gigabyte. */
export const artifactBytesMax = 16 * 1024 * 1024;

interface Packing {
  name: 'gzip' | 'zstd';
  magic: readonly number[];
  mediaType: string;
  unpack(bytes: Uint8Array, options: { maxOutputLength: number }): Promise<Uint8Array>;
}

const packings: readonly Packing[] = [
  { name: 'gzip', magic: [0x1f, 0x8b], mediaType: 'application/gzip', unpack: promisify(gunzip) },
  { name: 'zstd', magic: [0x28, 0xb5, 0x2f, 0xfd], mediaType: 'application/zstd', unpack: promisify(zstdDecompress) },
];

/** How these bytes are packed, by their first ones; null for text. */
function packingOf(bytes: Uint8Array): Packing | null {
  return packings.find(({ magic }) => magic.every((byte, index) => bytes[index] === byte)) ?? null;
}

/** Ends when all that were to be unpacked before have been. */
let turn: Promise<unknown> = Promise.resolve();

/** One after another: each takes some ten milliseconds, and the memory of the largest. */
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const done = turn.then(work);
  turn = done.catch(() => {});
  return done;
}

async function unpack({ name, unpack: run }: Packing, bytes: Uint8Array): Promise<Uint8Array> {
  try {
    return await inTurn(() => run(bytes, { maxOutputLength: artifactBytesMax }));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'ERR_BUFFER_TOO_LARGE') {
      const message = `Unpacked, the artifact has more than ${artifactBytesMax / 1024 / 1024} MiB.`;
      throw new DomainError('body_too_large', message, [
        { code: 'body_too_large', message, hint: 'Leave per-request content out, or send it in parts.' },
      ]);
    }
    const message = `The artifact begins like a ${name} file and cannot be unpacked as one: it is cut off or damaged.`;
    throw new DomainError('artifact_unreadable', message, [{ code: 'packing_broken', message }]);
  }
}

/**
 * Reads an artifact as it was sent: text, or text packed with gzip or zstd. What is stored stays packed; line numbers are
 * those of the text.
 *
 * @throws DomainError `body_too_large` for what unpacks to too much, `artifact_unreadable` for a broken archive, and what
 * reading the text throws
 */
export async function readArtifactBytes(
  bytes: Uint8Array,
  ...rest: Parameters<typeof readSubmission> extends [unknown, ...infer Rest] ? Rest : never
): Promise<ReadSubmission> {
  const packing = packingOf(bytes);
  if (packing === null) return readSubmission(bytes, ...rest);
  const reading = readSubmission(await unpack(packing, bytes), ...rest);
  return { ...reading, mediaType: packing.mediaType };
}
