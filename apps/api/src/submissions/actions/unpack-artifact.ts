import { promisify } from 'node:util';
import { gunzip, zstdDecompress } from 'node:zlib';
import { DomainError } from '@inferboard/core/errors';
import { type ReadSubmission, readSubmission } from '@inferboard/core/submission/read-submission';

/** Maximum size of an artifact in bytes, both as sent and decompressed, as a guard against archive bombs. */
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

/** The compression format, detected from the first bytes; null for text. */
function packingOf(bytes: Uint8Array): Packing | null {
  return packings.find(({ magic }) => magic.every((byte, index) => bytes[index] === byte)) ?? null;
}

/** Resolves when all earlier decompressions have ended. */
let turn: Promise<unknown> = Promise.resolve();

/** Runs one at a time: each takes about ten milliseconds and the memory of the largest artifact. */
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
      const message = `Uncompressed, the artifact has more than ${artifactBytesMax / 1024 / 1024} MiB.`;
      throw new DomainError('body_too_large', message, [
        { code: 'body_too_large', message, hint: 'Remove per-request content, or send the artifact in parts.' },
      ]);
    }
    const message = `The artifact starts like a ${name} file but cannot be decompressed: it is truncated or damaged.`;
    throw new DomainError('artifact_unreadable', message, [{ code: 'packing_broken', message }]);
  }
}

/** The text of an artifact as sent, which may be compressed. @throws DomainError as `readArtifactBytes` */
export async function textOfArtifact(bytes: Uint8Array): Promise<Uint8Array> {
  const packing = packingOf(bytes);
  return packing === null ? bytes : unpack(packing, bytes);
}

/**
 * Parses an artifact as sent: text, or text compressed with gzip or zstd. The stored bytes stay compressed; line numbers refer to
 * the text.
 *
 * @throws DomainError `body_too_large` if the decompressed text is too long, `artifact_unreadable` for a broken archive, and the
 *   errors of the parser
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
