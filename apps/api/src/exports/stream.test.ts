import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { Slots } from './slots.ts';
import { toStream } from './stream.ts';

const partBytes = 1024 * 1024;

/** Endless parts, or parts up to one that fails. Reports how many were made and whether the source was closed. */
function source({ failsAt = Number.POSITIVE_INFINITY } = {}) {
  const seen = { made: 0, isOver: false };
  async function* make() {
    try {
      for (;;) {
        if (seen.made === failsAt) throw new Error('the database went away');
        seen.made += 1;
        yield new Uint8Array(partBytes);
      }
    } finally {
      seen.isOver = true;
    }
  }
  return { parts: make(), seen };
}

async function open({ parts }: ReturnType<typeof source>, patience_ms?: number) {
  const failures: unknown[] = [];
  const stream = toStream(await parts.next(), parts, (error) => failures.push(error), patience_ms);
  return { reader: stream.getReader(), failures };
}

describe('an export stream', () => {
  test('is produced only slightly ahead of the reader', async () => {
    const own = source();
    const { reader } = await open(own);
    for (let taken = 1; taken <= 20; taken += 1) {
      await reader.read();
      await turn();
      expect(own.seen.made).toBeLessThanOrEqual(taken + 4);
    }
    await reader.cancel();
  });

  test('closes its source if the reader disconnects', async () => {
    const own = source();
    const { reader, failures } = await open(own);
    await reader.read();
    await reader.cancel();
    expect(own.seen.isOver).toBe(true);
    expect(failures).toEqual([]);
  });

  test('closes its source if the reader stops reading', async () => {
    const own = source();
    const { reader } = await open(own, 20);
    await expect.poll(() => own.seen.isOver).toBe(true);
    await expect(reader.read()).rejects.toThrow('read nothing');
  });

  test('is complete for a slow reader', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const { reader } = await open(source(), 200);
      for (let i = 0; i < 8; i += 1) {
        await vi.advanceTimersByTimeAsync(150);
        expect((await reader.read()).done).toBe(false);
      }
      await reader.cancel();
    } finally {
      vi.useRealTimers();
    }
  });

  test('ends early if its source fails, and reports the error once', async () => {
    const { reader, failures } = await open(source({ failsAt: 3 }));
    const read = async () => {
      for (;;) if ((await reader.read()).done) return;
    };
    await expect(read()).rejects.toThrow('the database went away');
    expect(failures).toHaveLength(1);
  });
});

test('a slot is released after a failure and after a cancellation', async () => {
  const slots = new Slots(2);
  const [first, second] = [slots.during(source().parts), slots.during(source({ failsAt: 1 }).parts)];
  expect(slots.isFree).toBe(true);
  await first.next();
  await second.next();
  expect(slots.isFree).toBe(false);
  await expect(second.next()).rejects.toThrow('the database went away');
  expect(slots.isFree).toBe(true);
  await first.return(undefined);
  const [third] = [slots.during(source().parts)];
  await third.next();
  expect(slots.isFree).toBe(true);
  await third.return(undefined);
});
