import { describe, expect, test } from 'vitest';
import { cookieOf, forgottenCookie, formTokenOf, isFormTokenOf, isFromHere, readToken } from './session.ts';

const token = `ibs_${'a1'.repeat(18)}`;
const other = `ibs_${'b2'.repeat(18)}`;
const post = (headers: Record<string, string>) =>
  new Request('http://board.example/account', { method: 'POST', headers });
const sent = (cookie: string) => post({ cookie });

describe('the session cookie', () => {
  const session = { token, expires_at: '2026-12-01T00:00:00.000Z' };

  test('is limited to this host, to pages and to HTTPS', () => {
    expect(cookieOf(session, true)).toBe(
      `__Host-inferboard=${token}; Path=/; HttpOnly; SameSite=Lax; Secure; Expires=Tue, 01 Dec 2026 00:00:00 GMT`,
    );
    expect(forgottenCookie(true)).toBe('__Host-inferboard=; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=0');
  });

  test('has no prefix over plain HTTP, because browsers would reject it', () => {
    expect(cookieOf(session, false)).toMatch(
      new RegExp(`^inferboard=${token}; Path=/; HttpOnly; SameSite=Lax; Expires=`),
    );
  });

  test('is read only by its own name', () => {
    expect(readToken(sent(`a=b; inferboard=${token}; c`), false)).toBe(token);
    expect(readToken(sent(`__Host-inferboard=${token}`), true)).toBe(token);
    // Another host of the domain can set this cookie.
    expect(readToken(sent(`inferboard=${token}`), true)).toBeNull();
    for (const cookie of ['', 'inferboard=', 'inferboard=ib_x', `xinferboard=${token}`, `inferboard=${token}%0d%0a`])
      expect(readToken(sent(cookie), false)).toBeNull();
  });
});

test('a form token is valid for one session', () => {
  expect(isFormTokenOf(token, formTokenOf(token))).toBe(true);
  for (const given of ['', token, formTokenOf(other), `${formTokenOf(token)}=`])
    expect(isFormTokenOf(token, given)).toBe(false);
  expect(formTokenOf(token)).not.toContain(token.slice(4, 20));
});

test.each<[boolean, Record<string, string>]>([
  [true, { 'sec-fetch-site': 'same-origin' }],
  [true, { 'sec-fetch-site': 'none' }],
  [false, { 'sec-fetch-site': 'same-site', origin: 'http://board.example', host: 'board.example' }],
  [false, { 'sec-fetch-site': 'cross-site' }],
  [true, { origin: 'http://board.example', host: 'board.example' }],
  [true, { origin: 'https://public.example', host: 'inner:8787' }],
  [false, { origin: 'http://evil.example', host: 'board.example' }],
  [false, { origin: 'http://board.example.evil.example', host: 'board.example' }],
  [false, { origin: 'null', host: 'board.example' }],
  [true, {}],
])('checks the origin of a form: %s %j', (expected, headers) => {
  expect(isFromHere(post(headers), 'https://public.example')).toBe(expected);
});
