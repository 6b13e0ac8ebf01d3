import { expect, test } from 'vitest';
import { retryWhileDown } from './retry-while-down.ts';

const away = () => Object.assign(new Error('closed'), { code: 'CONNECTION_CLOSED' });

test('waits for a database that comes back', async () => {
  let tries = 0;
  const work = async () => {
    tries += 1;
    if (tries < 3) throw away();
    return 'stored';
  };
  expect(await retryWhileDown(work, new AbortController().signal)).toBe('stored');
  expect(tries).toBe(3);
});

test('gives up with its signal, and at once on any other error', async () => {
  const controller = new AbortController();
  const waiting = retryWhileDown(() => Promise.reject(away()), controller.signal);
  controller.abort();
  await expect(waiting).rejects.toThrow('closed');
  await expect(retryWhileDown(() => Promise.reject(new Error('ours')), new AbortController().signal)).rejects.toThrow(
    'ours',
  );
});
