import { expect, test } from 'vitest';
import { retryWhileDown } from './retry-while-down.ts';

const away = () => Object.assign(new Error('closed'), { code: 'CONNECTION_CLOSED' });

test('waits until the database is available again', async () => {
  let tries = 0;
  const work = async () => {
    tries += 1;
    if (tries < 3) throw away();
    return 'stored';
  };
  expect(await retryWhileDown(work, new AbortController().signal)).toBe('stored');
  expect(tries).toBe(3);
});

test('stops when its signal is aborted, and immediately on any other error', async () => {
  const controller = new AbortController();
  const waiting = retryWhileDown(() => Promise.reject(away()), controller.signal);
  controller.abort();
  await expect(waiting).rejects.toThrow('closed');
  await expect(retryWhileDown(() => Promise.reject(new Error('ours')), new AbortController().signal)).rejects.toThrow(
    'ours',
  );
});
