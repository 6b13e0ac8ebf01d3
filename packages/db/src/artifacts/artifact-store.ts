import { createHash } from 'node:crypto';
import { codesOf } from '../connection/errors.ts';
import { type Packed, unpack } from '../copy/packing.ts';
import { type BucketSettings, type ObjectStore, ObjectStoreError, openBucket } from './object-store.ts';

/** The object store for artifact bytes. */
export interface ArtifactStoreSettings extends BucketSettings {
  /** False if new artifacts go to the database and the store only serves older ones. */
  takesNew: boolean;
}

/** The columns of an artifact row that locate its bytes. */
export interface ArtifactRow {
  sha256: string;
  bytes: Uint8Array | null;
  packing: 'zstd' | null;
  place: 's3' | null;
}

export interface ArtifactStore {
  /** The object store; null if all artifacts are in the database. */
  readonly objects: ObjectStore | null;
  /** Whether the bytes of new artifacts go to the object store. */
  readonly takesNew: boolean;
  /** Stores bytes before their row is committed. */
  put(sha256: string, stored: Packed): Promise<void>;
  /**
   * Returns the bytes as uploaded, from the database or the object store, after checking their hash.
   *
   * @throws ObjectStoreError if the object store cannot return them
   */
  read(row: ArtifactRow): Promise<Uint8Array>;
}

export const objectPrefix = 'artifacts/';

/** The object key: derived from the hash of the uploaded bytes, so that equal bytes share one object. */
export const objectKey = ({ sha256, packing }: Pick<ArtifactRow, 'sha256' | 'packing'>) =>
  `${objectPrefix}${sha256}${packing === 'zstd' ? '.zst' : ''}`;

/** The hash in an object key; null if the key has another format. */
export const hashInKey = (key: string) => /^artifacts\/([0-9a-f]{64})(?:\.zst)?$/.exec(key)?.[1] ?? null;

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** With null, all artifacts are in the database. */
export function createArtifactStore(settings: ArtifactStoreSettings | null = null): ArtifactStore {
  const objects = settings === null ? null : openBucket(settings);
  const lost = (row: ArtifactRow, why: string, cause?: unknown) =>
    new ObjectStoreError(`artifact ${row.sha256} ${why}`, { cause });

  async function fetchObject(row: ArtifactRow): Promise<Uint8Array> {
    if (row.place === null) throw lost(row, 'was restored without its bytes');
    if (objects === null) throw lost(row, 'is in an object store, but none is configured');
    const stored = await objects.get(objectKey(row));
    if (stored === null) throw lost(row, 'is not in the object store');
    const bytes = await unpack({ bytes: stored, packing: row.packing }).catch((error: unknown) => {
      throw lost(row, 'cannot be unpacked', error);
    });
    if (hashOf(bytes) !== row.sha256) throw lost(row, 'is damaged in the object store');
    return bytes;
  }

  return {
    objects,
    takesNew: settings?.takesNew ?? false,
    async put(sha256, { bytes, packing }) {
      if (objects === null) throw new ObjectStoreError('the settings name no object store');
      await objects.put(objectKey({ sha256, packing }), bytes);
    },
    read: async (row) =>
      row.bytes === null ? fetchObject(row) : await unpack({ bytes: row.bytes, packing: row.packing }),
  };
}

/** A store configuration with all artifacts in the database. */
export const inDatabase: ArtifactStore = createArtifactStore();

/** True if an operation failed because the object store could not store or return artifact bytes. */
export function isObjectStoreAway(error: unknown): boolean {
  return [...codesOf(error)].includes('OBJECT_STORE');
}
