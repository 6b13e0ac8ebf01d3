/// <reference path="../../apps/site/src/env.d.ts" />
import { describe, expect, it } from 'vitest';
import { adminKey, baseUrl, useTestApp } from '../../apps/api/src/testing/index.ts';
import { createAccountApi } from '../../apps/site/src/accounts/account-api.ts';
import { visitAccount } from '../../apps/site/src/accounts/account-page.ts';
import { visitAdmin } from '../../apps/site/src/accounts/admin-page.ts';
import { formTokenOf } from '../../apps/site/src/accounts/session.ts';

// Requests of the account forms, written by hand.

const app = useTestApp();

const fetchApi: typeof fetch = async (input, init) => {
  const request = new Request(input, init);
  return app.request(request.url.replace(baseUrl, ''), {
    method: request.method,
    headers: request.headers,
    ...(request.body !== null && { body: await request.text() }),
  });
};
const openAccount = (token: string | null) => createAccountApi(fetchApi, baseUrl, token);

const posted = (path: string, form: Record<string, string>, cookie = '') => ({
  request: new Request(`${baseUrl}${path}`, { method: 'POST', headers: { cookie }, body: new URLSearchParams(form) }),
  locals: { openAccount, origin: baseUrl, isEncrypted: false } as App.Locals,
  response: { headers: new Headers() },
});

async function adminSession(): Promise<{ cookie: string; form_token: string }> {
  const { data } = await openAccount(adminKey).startSession();
  const token = data?.token ?? '';
  return { cookie: `inferboard=${token}`, form_token: formTokenOf(token) };
}

describe('signing in', () => {
  it.each([
    ['letters that are not allowed in a header', 'ключ-ключ-ключ-ключ-ключ-ключ'],
    ['a line break', 'ib_0123456789abcdef\n0123456789abcdef'],
    ['a NUL', 'ib_0123456789abcdef\u00000123456789abcdef'],
    ['an empty text', ''],
  ])('with %s as the key is rejected', async (_, key) => {
    const { problem, response } = await visitAccount(posted('/account', { act: 'sign-in', key }));
    expect(response).toBeNull();
    expect(problem).toMatchObject({ status: 401, code: 'key_unknown' });
  });

  it.each(['//evil.example', '/\\evil.example', 'https://evil.example', 'javascript:alert(1)', '/a\nb'])(
    'redirects to no other site: %j',
    async (next) => {
      const { response } = await visitAccount(posted('/account', { act: 'sign-in', key: adminKey, next }));
      expect(response?.headers.get('location')).toBe('/account');
    },
  );
});

describe('an unknown action', () => {
  it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty', ''])('%j does nothing', async (act) => {
    const { cookie, form_token } = await adminSession();
    const { response, problem } = await visitAdmin(posted('/admin', { act, form_token }, cookie));
    expect(problem).toBeNull();
    expect(response?.headers.get('location')).toBe('/admin');
    const { response: left } = await visitAccount(posted('/account', { act, form_token }, cookie));
    expect(left?.headers.get('location')).toBe('/account');
  });
});
