import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { TransactionSql } from 'postgres';
import { type ArtifactStore, objectKey } from '../artifacts/artifact-store.ts';
import { unpack } from '../copy/packing.ts';
import { DumpError } from './manifest.ts';

type Placed = { sha256: string; packing: 'zstd' | null };

/** Artifacts per lookup; the bytes of one are in memory at a time. */
const atOnce = 200;

/** Path in the dump's folder, split into subfolders to keep listings short. */
const pathOf = (sha256: string) => join('objects', sha256.slice(0, 2), sha256);

/**
 * Writes the artifacts of an object store, in their stored form, one file each. Returns their number.
 *
 * @throws DumpError if an artifact cannot be read
 */
export async function writeObjects(tx: TransactionSql, folder: string, { objects }: ArtifactStore): Promise<number> {
  let count = 0;
  const placed = tx<Placed[]>`select sha256, packing from artifacts where place is not null order by sha256`;
  for await (const rows of placed.cursor(atOnce)) {
    for (const row of rows) {
      const bytes = (await objects?.get(objectKey(row))) ?? null;
      if (bytes === null)
        throw new DumpError(
          `The artifact ${row.sha256} is in an object store ${objects === null ? 'that is not configured' : 'but is missing there. If artifacts are being moved, dump again'}.`,
        );
      const path = join(folder, pathOf(row.sha256));
      await mkdir(dirname(path), { recursive: true });
      await pipeline(Readable.from([bytes]), createWriteStream(path, { flush: true }));
      count += 1;
    }
  }
  return count;
}

async function readObject(folder: string, { sha256, packing }: Placed): Promise<Uint8Array> {
  const path = join(folder, pathOf(sha256));
  try {
    const bytes = await readFile(path);
    const sent = await unpack({ bytes, packing });
    if (createHash('sha256').update(sent).digest('hex') === sha256) return bytes;
  } catch (error) {
    throw new DumpError(`${path} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
  throw new DumpError(`${path} was changed: its hash does not match its name.`);
}

/**
 * Stores the artifact files of a dump in their rows.
 *
 * @throws DumpError if one is missing or damaged
 */
export async function restoreObjects(tx: TransactionSql, folder: string): Promise<void> {
  for (let after = ''; ; ) {
    const rows = await tx<Placed[]>`
      select sha256, packing from artifacts where bytes is null and sha256 > ${after} order by sha256 limit ${atOnce}`;
    for (const row of rows)
      await tx`update artifacts set bytes = ${await readObject(folder, row)} where sha256 = ${row.sha256}`;
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.sha256;
  }
}
