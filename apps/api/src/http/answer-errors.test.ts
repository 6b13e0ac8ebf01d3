import { Hono } from 'hono';
import { expect, test } from 'vitest';
import type { AppContext } from '../deps.ts';
import { answerErrors } from './answer-errors.ts';

test.each([
  ['53100', 'The disk of the database is full. Requests fail until the operator of this service frees disk space.'],
  ['ECONNREFUSED', 'The database is unavailable. Try again in a few seconds.'],
])('an error of the database with the code %s names its cause', async (code, detail) => {
  const cause = Object.assign(new Error('could not extend file'), { code });
  const app = new Hono<AppContext>()
    .get('/', () => {
      throw new Error('query failed', { cause });
    })
    .onError(answerErrors({ publicUrl: 'http://inferboard.test', log: () => {} }));
  const response = await app.request('/');
  expect(response.status).toBe(503);
  expect(await response.json()).toMatchObject({ code: 'database_unavailable', detail });
});
