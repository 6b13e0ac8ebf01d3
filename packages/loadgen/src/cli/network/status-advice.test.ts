import { expect, test } from 'vitest';
import { foreignAdvice, statusAdvice } from './status-advice.ts';

const url = new URL('http://bench.example/v1/models');
const adviceOf = (status: number, headers: Record<string, string> = {}) =>
  statusAdvice(url, new Response(null, { status, headers }));
const inHalfAMinute = () => new Date(Date.now() + 30_000).toUTCString();

test.each([
  [429, { 'retry-after': '30' }, 'It limits the rate of requests. Try again in 30 s.'],
  [429, {}, 'It limits the rate of requests. Try again later.'],
  [502, {}, 'The server, or a proxy in front of it, is not available. Try again later.'],
  [503, { 'retry-after': 'soon' }, 'The server, or a proxy in front of it, is not available. Try again later.'],
  [500, {}, 'The log of the server has the reason.'],
  [301, { location: 'https://bench.example/v1/models' }, 'It redirects to https://bench.example. Use that URL.'],
  [302, { location: '/login' }, null],
  [404, {}, null],
])('status %i with %j', (status, headers, advice) => {
  expect(adviceOf(status, headers)).toBe(advice);
});

test('Retry-After may be a date', () => {
  expect(adviceOf(429, { 'retry-after': inHalfAMinute() })).toMatch(/Try again in (29|30) s\.$/);
});

test('another status of a service is that of another server', () => {
  expect(foreignAdvice(url, new Response(null, { status: 404 }))).toMatch(/^It is not an Inferboard service/);
});
