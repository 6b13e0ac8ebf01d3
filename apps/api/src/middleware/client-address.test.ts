import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { createAddressReader, networkOf, originOf } from './client-address.ts';

/** The counted address if this peer sends these headers. */
async function callerOf(trusted: string[], remoteAddress: string | undefined, headers: Record<string, string> = {}) {
  const read = createAddressReader(trusted);
  const app = new Hono().get('/', (c) => c.text(read(originOf(c))));
  return (await app.request('/', { headers }, { incoming: { socket: { remoteAddress } } })).text();
}
const x = (value: string) => ({ 'x-forwarded-for': value });
const forwarded = (value: string) => ({ forwarded: value });
const proxies = ['10.0.0.0/8', 'fd00::/8'];

describe('the client', () => {
  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['::FFFF:cb00:7109', '203.0.113.9'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002::9', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8::1:2:3:4:5', '2001:db8:0:1::/64'],
    ['::1', '0:0:0:0::/64'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
  ])('at %s has the network %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });

  it('is the connected address if no proxy is trusted, regardless of headers', async () => {
    expect(await callerOf([], '10.0.0.1', { ...x('203.0.113.9'), ...forwarded('for=203.0.113.9') })).toBe('10.0.0.1');
    expect(await callerOf(proxies, '198.51.100.7', x('203.0.113.9'))).toBe('198.51.100.7');
    expect(await callerOf(proxies, undefined, x('203.0.113.9'))).toBe('unknown');
    expect(await callerOf(proxies, 'fe80::1%eth0')).toBe('fe80:0:0:0::/64');
  });

  it.each([
    ['the header of one proxy', x('203.0.113.9'), '203.0.113.9'],
    ['an address with a port', x('203.0.113.9:4711'), '203.0.113.9'],
    ['an IPv6 address', x('2001:db8::7'), '2001:db8:0:0::/64'],
    ['the header of two proxies', x('203.0.113.9, 10.1.1.1'), '203.0.113.9'],
    ['a header with a forged start', x('1.1.1.1, 203.0.113.9, 10.1.1.1'), '203.0.113.9'],
    ['a header with proxies only', x('10.3.3.3, 10.2.2.2'), '10.3.3.3'],
    ['a header with invalid text', x('unknown'), '10.0.0.1'],
    ['invalid text followed by a proxy', x('203.0.113.9, junk, 10.2.2.2'), '10.2.2.2'],
    ['an empty header', x(''), '10.0.0.1'],
    ['the connection without a header', {}, '10.0.0.1'],
    ['the Forwarded header', forwarded('for=203.0.113.9;proto=https;by=10.0.0.1'), '203.0.113.9'],
    ['a Forwarded header with quotes', forwarded('For="[2001:db8:cafe::17]:4711"'), '2001:db8:cafe:0::/64'],
    [
      'a Forwarded header with several hops',
      forwarded('for=1.1.1.1, proto=http;for=203.0.113.9, for=10.9.9.9'),
      '203.0.113.9',
    ],
    ['a Forwarded header with obfuscated names', forwarded('for=_hidden'), '10.0.0.1'],
    ['two headers that agree', { ...x('203.0.113.9'), ...forwarded('for=203.0.113.9') }, '203.0.113.9'],
    ['a header added by the client', { ...x('203.0.113.9'), ...forwarded('for=1.1.1.1') }, '10.0.0.1'],
  ])('behind a trusted proxy is read from %s', async (_, headers, caller) => {
    expect(await callerOf(proxies, '10.0.0.1', headers)).toBe(caller);
  });

  it('can be behind an IPv6 proxy', async () => {
    expect(await callerOf(proxies, 'fd12::5', x('203.0.113.9'))).toBe('203.0.113.9');
    expect(await callerOf(['10.0.0.0/8'], '::ffff:10.0.0.1', x('203.0.113.9'))).toBe('203.0.113.9');
  });
});
