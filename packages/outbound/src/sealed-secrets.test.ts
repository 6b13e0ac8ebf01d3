import { inspect } from 'node:util';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import {
  createKeyring,
  type Keyring,
  open,
  reseal,
  SealError,
  type SealErrorCode,
  type Sealed,
  seal,
} from './sealed-secrets.ts';

const place = { table: 'endpoints', id: 'ep_1' };
const oldText = 'the first master key, long enough';
const newText = 'the second master key, long enough';
let ring: Keyring;
let rotated: Keyring;

beforeAll(async () => {
  ring = await createKeyring(oldText);
  rotated = await createKeyring(newText, [oldText]);
});

const text = fc.string({ unit: 'grapheme', maxLength: 200 });

function codeOf(work: () => unknown): SealErrorCode | null {
  try {
    work();
    return null;
  } catch (error) {
    return error instanceof SealError ? error.code : expect.fail(String(error));
  }
}

test('decrypts a secret only for the same row, also in another process', async () => {
  const again = await createKeyring(oldText);
  fc.assert(
    fc.property(text, fc.string(), fc.string(), (secret, table, id) => {
      const sealed = seal(ring, { table, id }, secret);
      return open(ring, { table, id }, sealed) === secret && open(again, { table, id }, sealed) === secret;
    }),
  );
});

test('rejects a box with any byte changed', () => {
  fc.assert(
    fc.property(text, fc.nat(), fc.integer({ min: 1, max: 255 }), (secret, at, change) => {
      const { keyId, box } = seal(ring, place, secret);
      const altered = Uint8Array.from(box);
      const index = at % altered.length;
      altered[index] = (altered[index] ?? 0) ^ change;
      return codeOf(() => open(ring, place, { keyId, box: altered })) === 'seal_broken';
    }),
    { numRuns: 1000 },
  );
});

test('rejects a truncated or extended box', () => {
  const { keyId, box } = seal(ring, place, 'sk-example');
  for (let length = 0; length < box.length; length += 1) {
    expect(codeOf(() => open(ring, place, { keyId, box: box.subarray(0, length) }))).toBe('seal_broken');
  }
  expect(codeOf(() => open(ring, place, { keyId, box: Buffer.concat([box, Buffer.of(0)]) }))).toBe('seal_broken');
});

test('rejects a secret moved to another row or table', () => {
  const other = fc.record({ table: fc.string(), id: fc.string() });
  fc.assert(
    fc.property(other, other, text, (from, to, secret) => {
      fc.pre(from.table !== to.table || from.id !== to.id);
      const sealed = seal(ring, from, secret);
      return codeOf(() => open(ring, to, sealed)) === 'seal_broken';
    }),
  );
  const joined = seal(ring, { table: 'a', id: 'b,c' }, 'sk-example');
  expect(codeOf(() => open(ring, { table: 'a,b', id: 'c' }, joined))).toBe('seal_broken');
});

test('gives different boxes for the same secret', () => {
  const boxes = Array.from({ length: 500 }, () => Buffer.from(seal(ring, place, 'sk-example').box).toString('hex'));
  expect(new Set(boxes.map((box) => box.slice(0, 24))).size).toBe(500);
  expect(new Set(boxes.map((box) => box.slice(24))).size).toBe(500);
});

test('decrypts with the previous key after a rotation, and encrypts with the new one', async () => {
  const before = seal(ring, place, 'sk-example');
  const after = reseal(rotated, place, before);
  expect(after.keyId).not.toBe(before.keyId);
  expect(open(rotated, place, after)).toBe('sk-example');
  expect(reseal(rotated, place, after)).toBe(after);
  const newOnly = await createKeyring(newText);
  expect(open(newOnly, place, after)).toBe('sk-example');
  expect(codeOf(() => open(newOnly, place, before))).toBe('key_unknown');
  expect(codeOf(() => reseal(rotated, { ...place, id: 'ep_2' }, before))).toBe('seal_broken');
});

test('rejects the id of another key', () => {
  const { box } = seal(ring, place, 'sk-example');
  expect(codeOf(() => open(rotated, place, { keyId: rotated.current.id, box }))).toBe('seal_broken');
});

test('rejects a short master key', async () => {
  await expect(createKeyring('fifteen letters')).rejects.toMatchObject({ code: 'master_key_short' });
  await expect(createKeyring(oldText, ['short'])).rejects.toMatchObject({ code: 'master_key_short' });
});

test('no key ring, encrypted value or error contains a secret', () => {
  const secret = 'sk-live-4242424242';
  const sealed: Sealed = seal(ring, place, secret);
  const caught: unknown[] = [];
  try {
    open(ring, { ...place, id: 'ep_2' }, sealed);
  } catch (error) {
    caught.push(error);
  }
  const shown = inspect([ring, sealed, Buffer.from(sealed.box).toString('latin1'), caught], {
    depth: 9,
    showHidden: true,
  });
  expect(caught).toHaveLength(1);
  for (const hidden of [secret, oldText, Buffer.from(secret).toString('base64').slice(0, 20)]) {
    expect(shown).not.toContain(hidden);
  }
});
