import { createHash } from 'node:crypto';
import { codesOf } from '../errors.ts';
import { type Packed, unpack } from '../packing.ts';
import { type BucketSettings, type ObjectStore, ObjectStoreError, openBucket } from './object-store.ts';

/** Where the bytes of artifacts lie beside the database. */
export interface ArtifactStoreSettings extends BucketSettings {
  /** False where new ones go into the database, and only those that were moved out are read from here. */
  takesNew: boolean;
}

/** What a row says of its bytes. */
export interface ArtifactRow {
  sha256: string;
  bytes: Uint8Array | null;
  packing: 'zstd' | null;
  place: 's3' | null;
}

export interface ArtifactStore {
  /** Where it keeps them; null: in the database alone. */
  readonly objects: ObjectStore | null;
  /** Whether the bytes of a new artifact go there. */
  readonly takesNew: boolean;
  /** Puts bytes there before their row is committed. */
  put(sha256: string, stored: Packed): Promise<void>;
  /**
   * The bytes as they were sent, wherever they lie, checked by their hash.
   *
   * @throws ObjectStoreError where they cannot be had
   */
  read(row: ArtifactRow): Promise<Uint8Array>;
}

export const objectPrefix = 'artifacts/';

/** Named by the bytes as they were sent: the same ones come to lie in the same place. */
export const objectKey = ({ sha256, packing }: Pick<ArtifactRow, 'sha256' | 'packing'>) =>
  `${objectPrefix}${sha256}${packing === 'zstd' ? '.zst' : ''}`;

/** The hash that a key names; null for what is none of ours. */
export const hashInKey = (key: string) => /^artifacts\/([0-9a-f]{64})(?:\.zst)?$/.exec(key)?.[1] ?? null;

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** With null: every artifact lies in the database. */
export function createArtifactStore(settings: ArtifactStoreSettings | null = null): ArtifactStore {
  const objects = settings === null ? null : openBucket(settings);
  const lost = (row: ArtifactRow, why: string, cause?: unknown) =>
    new ObjectStoreError(`artifact ${row.sha256} ${why}`, { cause });

  async function fetchObject(row: ArtifactRow): Promise<Uint8Array> {
    if (row.place === null) throw lost(row, 'was restored without its bytes');
    if (objects === null) throw lost(row, 'lies in an object store, and the settings name none');
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

/** Every artifact lies in the database. */
export const inDatabase: ArtifactStore = createArtifactStore();

/** True if something failed because the bytes of an artifact could not be put into their place, or had from it. */
export function isObjectStoreAway(error: unknown): boolean {
  return [...codesOf(error)].includes('OBJECT_STORE');
}
