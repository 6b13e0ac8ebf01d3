import { beforeAll, describe, expect, test } from 'vitest';
import { isRebinding } from './corpus.ts';
import type { ChildReport, Outcome } from './report.ts';
import { findNamespace, runChild } from './run-child.ts';

const namespace = findNamespace();
if (namespace === null) console.warn('No network namespace is permitted here: canaries listen on loopback alone.');
const place = namespace === null ? 'on loopback alone' : `in a network namespace (unshare ${namespace.join(' ')})`;

const isRefused = (outcome: Outcome): boolean => 'refused' in outcome;

describe(`hostile URLs, ${place}`, () => {
  let report: ChildReport;

  beforeAll(async () => {
    report = await runChild(namespace, 'guard');
  });

  // A single hit means that an attacker can reach a metadata service or a database.
  test('reach no address that is not allowed', () => {
    expect(new Set(report.results.map(({ url }) => url)).size).toBeGreaterThanOrEqual(130);
    expect(report.hits).toEqual([]);
  });

  test('are recorded by the test server if they arrive', () => {
    expect(report.audible).toContain('127.0.0.1');
    if (namespace !== null) expect(report.audible).toEqual(expect.arrayContaining(['10.0.0.1', '169.254.169.254']));
  });

  test('reach the one allowed host by name and by address, over http and https', () => {
    const { http, literal, https, httpsLiteral } = report.allowed;
    expect({ http, literal, https, httpsLiteral }).toEqual({
      http: { status: 200 },
      literal: { status: 200 },
      https: { status: 200 },
      httpsLiteral: { status: 200 },
    });
  });

  test('reject a certificate for another name or from an unknown issuer, regardless of the environment', () => {
    const { httpsOtherName, httpsStranger } = report.allowed;
    expect([httpsOtherName, httpsStranger]).toEqual([{ failed: 'tls failed' }, { failed: 'tls failed' }]);
  });

  test('are rejected before a connection if the address is not allowed', () => {
    const answered = report.results
      .filter((result) => result.leads !== 'allowed' && !isRebinding(result))
      // A name without an address cannot be connected to.
      .filter(({ url }) => !url.includes('empty.evil.example'))
      .filter(({ outcomes }) => !outcomes.every(isRefused));
    expect(answered).toEqual([]);
  });

  test('return a redirect unchanged', () => {
    const redirects = report.results.filter(({ url }) => url.includes('/redirect/'));
    expect(redirects.length).toBeGreaterThan(15);
    for (const { url, outcomes } of redirects)
      expect(outcomes).toEqual([{ status: Number(/\/(\d{3})\?/.exec(url)?.[1]) }]);
  });

  test('reach the public address of a name that changes its address, or are rejected', () => {
    const names = report.results.filter(isRebinding);
    expect(names).toHaveLength(7);
    const kinds = names.map(
      ({ outcomes }) => new Set(outcomes.map((outcome) => (isRefused(outcome) ? 'refused' : 'public'))),
    );
    for (const { outcomes } of names) expect(outcomes).toHaveLength(13);
    // Both cases must occur, or the names did not change at all.
    expect(kinds.filter((kind) => kind.size === 2)).toHaveLength(7);
  });
});

describe.runIf(namespace !== null)('the same URLs without a guard', () => {
  // If an unprotected client also avoided them, the corpus would prove nothing.
  test('reach more than 80 forbidden addresses', async () => {
    const report = await runChild(namespace, 'fetch');
    const led = new Set(report.hits.map(({ during }) => during));
    console.info(`plain fetch: ${led.size} of ${report.results.length} URLs reach a forbidden address`);
    expect(led.size).toBeGreaterThan(80);
  });
});
