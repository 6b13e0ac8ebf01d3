import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DomainError } from '@inferboard/core/errors';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createShelf, type ShelfSize } from './shelf.ts';

const heldBytes = 32 * 1024;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inferboard-shelf-'));
});
afterAll(() => rm(folder, { recursive: true }));

const open = (size: Partial<ShelfSize> = {}) =>
  createShelf(folder, { heldBytes, keptBytes: 1024 ** 2, atOnce: 2, ...size });
const streamOf = (pieces: Uint8Array[]) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
const bytesOf = (size: number, seed = 7) => Uint8Array.from({ length: size }, (_, index) => (index * seed) % 251);

/** A body that comes when it is told to. */
function openBody() {
  let sender: ReadableStreamDefaultController<Uint8Array> | undefined;
  const seen = { isAsked: false, isLeft: false };
  const source: ConstructorParameters<typeof ReadableStream<Uint8Array>>[0] & object = {
    start(controller) {
      sender = controller;
    },
    pull() {
      seen.isAsked = true;
    },
    cancel() {
      seen.isLeft = true;
    },
  };
  // It holds nothing ahead, so it is asked for more only when what it gave has been put away.
  const stream = new ReadableStream(source, { highWaterMark: 0 });
  return {
    stream,
    send: (bytes: Uint8Array) => {
      seen.isAsked = false;
      sender?.enqueue(bytes);
    },
    /** When all that was sent has been put away. */
    taken: () => expect.poll(() => seen.isAsked).toBe(true),
    /** When nobody reads it any more. */
    left: () => expect.poll(() => seen.isLeft).toBe(true),
    end: () => sender?.close(),
    fail: (error: Error) => sender?.error(error),
  };
}

it('passes on the bytes that came, however they were cut', async () => {
  const shelf = open();
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(3 * heldBytes), { maxLength: 12 }), async (sizes) => {
      const pieces = sizes.map((size, index) => bytesOf(size, index + 3));
      let whole: ArrayBuffer | null = null;
      const fits = await shelf.take(streamOf(pieces), 40 * heldBytes, async (bytes) => {
        whole = bytes;
      });
      expect(fits).toBe(true);
      expect(Buffer.concat(pieces).equals(Buffer.from(whole ?? new ArrayBuffer(1)))).toBe(true);
    }),
    { numRuns: 60 },
  );
});

it.each([heldBytes, 4 * heldBytes])('does not pass on a body of more than %s bytes', async (bytesMax) => {
  const shelf = open();
  let passedOn = 0;
  const use = async () => {
    passedOn += 1;
  };
  const pieces = Array.from({ length: bytesMax / 1024 }, () => bytesOf(1024));
  expect(await shelf.take(streamOf(pieces), bytesMax, use)).toBe(true);
  expect(await shelf.take(streamOf([...pieces, bytesOf(1)]), bytesMax, use)).toBe(false);
  expect(passedOn).toBe(1);
});

it('lets go of those that take longest where it is full, and of no other', async () => {
  const shelf = open({ keptBytes: 8 * heldBytes });
  const use = async () => {};
  const slow = Array.from({ length: 3 }, () => openBody());
  const answers: unknown[] = [];
  for (const { stream, send, taken } of slow) {
    answers.push(shelf.take(stream.values(), 40 * heldBytes, use).catch((error: unknown) => error));
    send(bytesOf(2 * heldBytes));
    send(bytesOf(1));
    await taken();
  }
  // Two more do not fit beside six.
  expect(await shelf.take(streamOf([bytesOf(4 * heldBytes)]), 40 * heldBytes, use)).toBe(true);
  const first = await answers[0];
  expect(first).toBeInstanceOf(DomainError);
  expect(first).toMatchObject({ code: 'bodies_too_many' });
  // What the first still sends goes nowhere, and takes no room.
  for (let index = 0; index < 20; index += 1) slow[0]?.send(bytesOf(2 * heldBytes));
  await slow[0]?.left();
  for (const { end } of slow.slice(1)) end();
  expect(await Promise.all(answers.slice(1))).toEqual([true, true]);
});

it('has its room again after bodies of every end', async () => {
  const shelf = open({ keptBytes: 4 * heldBytes });
  const use = async () => {};
  const large = [bytesOf(2 * heldBytes), bytesOf(2 * heldBytes)];
  for (let round = 0; round < 5; round += 1) {
    expect(await shelf.take(streamOf(large), 40 * heldBytes, use)).toBe(true);
    expect(await shelf.take(streamOf(large), 3 * heldBytes, use)).toBe(false);
    const broken = openBody();
    const answer = shelf.take(broken.stream.values(), 40 * heldBytes, use);
    broken.send(bytesOf(3 * heldBytes));
    await broken.taken();
    broken.fail(new Error('the client is gone'));
    await expect(answer).rejects.toThrow('the client is gone');
    await expect(
      shelf.take(streamOf(large), 40 * heldBytes, () => Promise.reject(new Error('not wanted'))),
    ).rejects.toThrow('not wanted');
  }
  expect(await readdir(folder)).toEqual([]);
});

it('passes on so many large ones at once, and small ones without waiting', async () => {
  const shelf = open({ atOnce: 2 });
  let [now, most] = [0, 0];
  const hold = Promise.withResolvers<void>();
  const use = async () => {
    now += 1;
    most = Math.max(most, now);
    await hold.promise;
    now -= 1;
  };
  const large = Array.from({ length: 5 }, () => shelf.take(streamOf([bytesOf(2 * heldBytes)]), 40 * heldBytes, use));
  await expect.poll(() => now).toBe(2);
  expect(await shelf.take(streamOf([bytesOf(100)]), 40 * heldBytes, async () => {})).toBe(true);
  hold.resolve();
  expect(await Promise.all(large)).toEqual([true, true, true, true, true]);
  expect(most).toBe(2);
});

it('says that there is no room where its folder cannot be written to', async () => {
  const shelf = createShelf(join(folder, 'none'), { heldBytes, keptBytes: 1024 ** 2, atOnce: 2 });
  const refused = await shelf
    .take(streamOf([bytesOf(2 * heldBytes)]), 40 * heldBytes, async () => {})
    .catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 'artifact_unavailable', cause: { code: 'ENOENT' } });
  expect(await shelf.take(streamOf([bytesOf(heldBytes)]), 40 * heldBytes, async () => {})).toBe(true);
});
