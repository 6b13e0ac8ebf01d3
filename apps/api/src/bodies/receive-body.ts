import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DomainError } from '@inferboard/core/errors';
import pLimit from 'p-limit';
import { type BudgetLimits, createBudget } from './budget.ts';
import { createTempFolder } from './temp-folder.ts';

const mebibyte = 1024 ** 2;

/** Limits per process: sixteen bodies of the maximum size at a time, four of them for one key. */
export const bodyLimits: BudgetLimits = { perSender: 64 * mebibyte, perProcess: 256 * mebibyte };

/** Longer bodies are written to a temporary file during upload. */
const inMemoryMax = mebibyte;

/** Maximum number of bodies read from files into memory at the same time. */
const readAtOnce = 4;

export interface BodyReceiver {
  /**
   * Receives a body and passes it on when complete. A body in a temporary file first waits for its turn.
   *
   * @returns false for a body of more than `bytesMax` bytes, which is not read further
   * @throws DomainError `bodies_too_many` beyond the limits, `artifact_unavailable` if no temporary file can be written
   */
  receive(body: IncomingBody, use: (whole: ArrayBuffer) => Promise<void>): Promise<boolean>;
  /** Bytes received and not yet answered. */
  inFlight(): number;
  /** @throws Error of the file system if no temporary file can be written */
  prepare(): Promise<void>;
  /** Removes all temporary files. */
  close(): Promise<void>;
}

export interface IncomingBody {
  pieces: AsyncIterable<Uint8Array>;
  /** The `Content-Length` header; null if there is none. */
  declared: number | null;
  bytesMax: number;
  /** The key or address whose limit applies. */
  sender: string;
}

const noRoom = (cause: unknown) =>
  Object.assign(
    new DomainError(
      'artifact_unavailable',
      'A body of this size cannot be stored now. Nothing was changed. Try again in a few seconds.',
    ),
    { cause },
  );

async function onDisk<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw noRoom(error);
  }
}

/** Receives bodies within the limits: short ones in memory, longer ones in temporary files. */
export function createBodyReceiver(limits: BudgetLimits = bodyLimits, parent: string = tmpdir()): BodyReceiver {
  const budget = createBudget(limits);
  const folder = createTempFolder(parent);
  const turn = pLimit(readAtOnce);

  const createFile = async () => {
    const path = join(await folder.path(), randomUUID());
    return { path, handle: await open(path, 'wx+', 0o600) };
  };

  return {
    inFlight: budget.inFlight,
    prepare: async () => void (await folder.path()),
    close: folder.remove,
    async receive({ pieces, declared, bytesMax, sender }, use) {
      const counted = budget.open(sender);
      // A resizable buffer grows without copies.
      const held = new ArrayBuffer(0, { maxByteLength: Math.min(inMemoryMax, bytesMax) });
      let file: { path: string; handle: FileHandle } | null = null;
      let size = 0;
      try {
        counted.require(declared ?? 0);
        for await (const piece of pieces) {
          if (size + piece.length > bytesMax) return false;
          counted.add(piece.length);
          if (file === null && size + piece.length > inMemoryMax) {
            file = await onDisk(createFile());
            await onDisk(file.handle.appendFile(new Uint8Array(held)));
            held.resize(0);
          }
          if (file === null) {
            held.resize(size + piece.length);
            new Uint8Array(held).set(piece, size);
          } else {
            await onDisk(file.handle.appendFile(piece));
          }
          size += piece.length;
        }
        if (file === null) {
          await use(held.slice(0));
          return true;
        }
        const { handle } = file;
        await turn(async () => {
          const whole = new ArrayBuffer(size);
          const { bytesRead } = await onDisk(handle.read(new Uint8Array(whole), 0, size, 0));
          if (bytesRead !== size) throw noRoom(new Error(`the file has ${bytesRead} of ${size} bytes`));
          await use(whole);
        });
        return true;
      } finally {
        counted.release();
        if (file !== null) {
          await file.handle.close();
          await rm(file.path, { force: true });
        }
      }
    },
  };
}
