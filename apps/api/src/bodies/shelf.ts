import { DomainError } from '@inferboard/core/errors';
import pLimit from 'p-limit';
import { collectYoung } from './collect-young.ts';
import { openUnnamedFile, type UnnamedFile } from './unnamed-file.ts';

/** Where bodies lie while they arrive, so that many large ones, or slow ones, do not have to be held in memory. */
export interface Shelf {
  /**
   * Reads a body whole and passes it on. One that is longer than the shelf holds in memory is passed on when it is its turn.
   *
   * @returns false for a body of more than `bytesMax` bytes, which is not read further
   * @throws DomainError `bodies_too_many` to the body that has been arriving for longest where the shelf is full,
   * `artifact_unavailable` where its folder cannot be written to
   */
  take(
    pieces: AsyncIterable<Uint8Array>,
    bytesMax: number,
    use: (whole: ArrayBuffer) => Promise<void>,
  ): Promise<boolean>;
}

export interface ShelfSize {
  /** Bodies up to this many bytes are held in memory; longer ones lie in a file. */
  heldBytes: number;
  /** How much may lie in files. */
  keptBytes: number;
  /** How many bodies that came from files are passed on at once. */
  atOnce: number;
}

/** A body with what of it lies on the shelf. */
interface Arriving {
  file: UnnamedFile | null;
  kept: number;
  hasLeft: boolean;
  leave(error: Error): void;
}

/** What is set aside for a body before anything of it came, and what is gathered of small pieces before it is written. */
const leastBytes = 16 * 1024;
/** So many bytes written leave garbage that is worth collecting. */
const garbageBytes = 16 * 1024 ** 2;

/** What the one that takes longest is told where all of the shelf is taken. */
export const fullShelf = () =>
  new DomainError(
    'bodies_too_many',
    'As many large bodies as may be are arriving, and this one has been for longest: send it again, faster if you can.',
  );

function folderTrouble(cause: unknown): DomainError {
  const error = new DomainError(
    'artifact_unavailable',
    'There is no room for a body of this size now; nothing was changed. Try again in a few seconds.',
  );
  error.cause = cause;
  return error;
}

/** Does something with a file of the shelf. */
async function withFile<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw folderTrouble(error);
  }
}

/** A buffer that holds these bytes and has room for more. */
function withRoom(held: Buffer<ArrayBuffer>, used: number, more: number, most: number): Buffer<ArrayBuffer> {
  if (used + more <= held.length) return held;
  const larger = Buffer.allocUnsafeSlow(Math.min(most, Math.max(used + more, 4 * held.length)));
  larger.set(held.subarray(0, used));
  return larger;
}

/** Keeps what is too large for memory in files of a folder. */
export function createShelf(folder: string, { heldBytes, keptBytes, atOnce }: ShelfSize): Shelf {
  /** Those that have a file, the one that has been for longest first. */
  const arriving = new Set<Arriving>();
  const turn = pLimit(atOnce);
  let kept = 0;
  let written = 0;

  const letGo = async (body: Arriving) => {
    arriving.delete(body);
    kept -= body.kept;
    body.kept = 0;
    const { file } = body;
    body.file = null;
    await file?.close();
  };
  /** Adds to the file of a body. Room is made by letting go of those that take longest: who drips must not keep others out. */
  const putAway = async (body: Arriving, bytes: Uint8Array) => {
    if (body.hasLeft) return;
    if (body.file === null) {
      body.file = await withFile(openUnnamedFile(folder));
      arriving.add(body);
    }
    body.kept += bytes.length;
    kept += bytes.length;
    for (const longest of arriving) {
      if (kept <= keptBytes) break;
      longest.hasLeft = true;
      longest.leave(fullShelf());
      await letGo(longest);
    }
    if (body.file !== null) await withFile(body.file.append(bytes));
    written += bytes.length;
    if (written < garbageBytes) return;
    written = 0;
    collectYoung();
  };
  /** How long it is, and what of it is not in its file; null where it is too long, or had to leave. */
  const gather = async (body: Arriving, pieces: AsyncIterable<Uint8Array>, bytesMax: number) => {
    let held: Buffer<ArrayBuffer> = Buffer.allocUnsafeSlow(leastBytes);
    let [size, used] = [0, 0];
    for await (const piece of pieces) {
      size += piece.length;
      if (size > bytesMax || body.hasLeft) return null;
      const most = body.file === null ? heldBytes : leastBytes;
      if (used + piece.length <= most) {
        held = withRoom(held, used, piece.length, most);
        held.set(piece, used);
        used += piece.length;
        continue;
      }
      if (used > 0) await putAway(body, held.subarray(0, used));
      await putAway(body, piece);
      if (held.length > leastBytes) held = Buffer.allocUnsafeSlow(leastBytes);
      used = 0;
    }
    return { size, rest: held.subarray(0, used) };
  };

  return {
    async take(pieces, bytesMax, use) {
      const gone = Promise.withResolvers<never>();
      const body: Arriving = { file: null, kept: 0, hasLeft: false, leave: gone.reject };
      try {
        const gathered = await Promise.race([gather(body, pieces, bytesMax), gone.promise]);
        if (gathered === null) return false;
        const { size, rest } = gathered;
        const { file } = body;
        if (file === null) {
          await use(rest.buffer.slice(rest.byteOffset, rest.byteOffset + rest.length));
          return true;
        }
        arriving.delete(body);
        await turn(async () => {
          const whole = Buffer.allocUnsafeSlow(size);
          await withFile(file.read(whole.subarray(0, size - rest.length)));
          whole.set(rest, size - rest.length);
          await letGo(body);
          await use(whole.buffer);
        });
        return true;
      } finally {
        await letGo(body);
      }
    },
  };
}
