import { deserialize, serialize } from 'node:v8';
import { type Packed, pack, unpack } from '@inferboard/db/copy/packing';
import type { LoadPlan, LoadRecord } from '@inferboard/loadgen/measure/measure-load';

/** Changes with the types below: workers of another release then do not measure the share. */
const format = 1;

/** Maximum bytes of a job, and of its records: the database returns them in one row. */
export const shareBytesMax = 64 * 1024 * 1024;

/**
 * The requests of a share. The worker that measures it resolves the address and opens the credential itself, so that neither is
 * stored and its own guard applies.
 */
export interface ShareJob extends Pick<LoadPlan, 'path' | 'bodies' | 'pace' | 'limits'> {
  hasDocuments: boolean;
}

/** A value that does not fit into a share, or that another release wrote. */
export class ShareFormatError extends Error {
  override readonly name = 'ShareFormatError';
}

// The serializer keeps NaN and the arrays of times, which JSON does not.
async function packValue(value: object): Promise<Packed> {
  const bytes = serialize({ format, value });
  if (bytes.length > shareBytesMax) throw new ShareFormatError('its requests have too many bytes for one share');
  return pack(bytes);
}

async function unpackValue(packed: Packed): Promise<unknown> {
  const read = deserialize(await unpack(packed)) as { format?: unknown; value?: unknown };
  if (read.format !== format) throw new ShareFormatError('the workers have different releases');
  return read.value;
}

/** @throws ShareFormatError if it is too large */
export const packJob = ({ path, bodies, pace, limits, hasDocuments = false }: LoadPlan): Promise<Packed> =>
  packValue({ path, bodies, pace, limits, hasDocuments } satisfies ShareJob);

/** @throws ShareFormatError if another release wrote it */
export const unpackJob = async (packed: Packed): Promise<ShareJob> => (await unpackValue(packed)) as ShareJob;

/** @throws ShareFormatError if it is too large */
export const packRecord = (record: LoadRecord): Promise<Packed> => packValue(record);

/** @throws ShareFormatError if another release wrote it */
export const unpackRecord = async (packed: Packed): Promise<LoadRecord> => (await unpackValue(packed)) as LoadRecord;
