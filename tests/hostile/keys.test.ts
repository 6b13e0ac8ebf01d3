import { describe, expect, it } from 'vitest';
import { adminKey } from '../../apps/api/src/testing/index.ts';
import { expectRule, nativeReport } from '../support/hostile.ts';
import { useHostileApp } from './setup.ts';

// For any input: no 5xx, a problem document with the error for every rejection, and no silently ignored input.

const { look, submit } = useHostileApp();

describe('keys', () => {
  const secret = 'ib_abcdefghijklmnopqrstuvwxyz0123456789';
  it.each([
    '',
    'Bearer',
    'Basic abc',
    `Bearer ${adminKey} x`,
    `Bearer ${'x'.repeat(5000)}`,
    'Bearer ib_short',
    `Bearer ${secret}`,
    adminKey,
    `Bearer ${adminKey},${adminKey}`,
  ])('Authorization: %s returns 401', async (header) => {
    const seen = await look('/v1/results', { headers: { authorization: header } });
    expectRule(seen, { secrets: [adminKey, secret] });
    expect(seen.status).toBe(401);
    expect(seen.headers.get('www-authenticate')).toMatch(/^Bearer/);
  });

  it.each(['api_key', 'KEY', 'token', 'access_token'])(
    'a %s in the query returns 400 without repeating it',
    async (name) => {
      const seen = await look(`/v1/results?${name}=${secret}`);
      expectRule(seen, { secrets: [secret] });
      expect(seen.status).toBe(400);
    },
  );

  it.each(['/v1/submissions/KEY', '/v1/systems/KEY', '/v1/KEY'])(
    'a key in the path %s is not in the response',
    async (path) => {
      const seen = await look(path.replace('KEY', secret));
      expectRule(seen, { secrets: [secret] });
    },
  );

  it.each([
    ['notes', `key is ${secret} indeed`],
    ['notes', 'HF_TOKEN=hf_abcdefghijklmnopqrstuvwxyz0123'],
    ['source_url', 'https://user:hunter2-pass@example.org/run'],
  ])('a secret in %s is not published', async (name, value) => {
    const seen = await submit(nativeReport(), `dry_run=true&${new URLSearchParams({ [name]: value })}`);
    expectRule(seen, { secrets: [value] });
    expect(seen.status).toBe(422);
  });

  it.each([
    ['/v1/submissions?bogus=1', 'text/plain', 'x'],
    ['/v1/accounts', 'application/json', '{"bogus":1}'],
    ['/v1/accounts', 'application/json', '{'],
  ])('POST %s without a key returns 401 before other checks', async (path, type, body) => {
    const seen = await look(path, { method: 'POST', headers: { 'content-type': type }, body });
    expectRule(seen);
    expect(seen.status).toBe(401);
  });
});
