import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkUrl } from './check-url.ts';
import { OutboundRefusal, type RefusalCode } from './failures.ts';
import { createPolicy } from './policy.ts';
import { forbiddenNumber, ipv4Notation, ipv6Notation } from './testing/notations.ts';

const contact = 'https://bench.example/contact';
const strict = createPolicy({ contact });
/** Allows all ports and http, so that only the address can be at fault. */
const lenient = createPolicy({ contact, internet: { http: true, ports: [[1, 65_535]] } });

function codesOf(text: string, policy = strict): RefusalCode[] {
  try {
    checkUrl(text, policy);
    return [];
  } catch (error) {
    if (!(error instanceof OutboundRefusal)) throw error;
    return error.faults.map(({ code }) => code);
  }
}

describe('rejects addresses in special IPv4 ranges', () => {
  const scheme = fc.constantFrom('http', 'https');
  const port = fc.constantFrom('', ':443', ':8000');

  test('in any notation of inet_aton and Unicode', () => {
    const url = fc
      .tuple(scheme, forbiddenNumber.chain(ipv4Notation), port)
      .map(([name, host, suffix]) => `${name}://${host}${suffix}/v1`);
    fc.assert(
      fc.property(url, (text) => codesOf(text, lenient).join() === 'address_not_allowed'),
      { numRuns: 2000 },
    );
  });

  test('within any IPv6 address that embeds them', () => {
    const url = fc
      .tuple(scheme, forbiddenNumber.chain(ipv6Notation), port)
      .map((parts) => parts.join('').replace('[', '://['));
    fc.assert(
      fc.property(url, (text) => codesOf(text, lenient).join() === 'address_not_allowed'),
      { numRuns: 2000 },
    );
  });
});

test('returns the parts of an allowed URL', () => {
  expect(checkUrl('https://API.Example.com.:8443/v1/models?limit=1', strict)).toEqual({
    origin: 'https://api.example.com:8443',
    host: 'api.example.com',
    port: 8443,
    tls: true,
    path: '/v1/models?limit=1',
    literal: false,
  });
  expect(checkUrl('https://[2606:4700:4700:0::1111]', strict)).toEqual({
    origin: 'https://[2606:4700:4700::1111]',
    host: '2606:4700:4700::1111',
    port: 443,
    tls: true,
    path: '/',
    literal: true,
  });
});

test.each<[string, RefusalCode[]]>([
  ['', ['url_invalid']],
  ['api.example.com', ['url_invalid']],
  ['//api.example.com', ['url_invalid']],
  ['https://', ['url_invalid']],
  ['https://exa mple.com', ['url_invalid']],
  ['https://[::1%25eth0]/', ['url_invalid']],
  ['https://1.2.3.4.5/', ['url_invalid']],
  ['https://256.1.1.1/', ['url_invalid']],
  ['https://api.example.com:99999/', ['url_invalid']],
  [`https://api.example.com/${'a'.repeat(3000)}`, ['url_too_long']],
  ['ftp://api.example.com/', ['scheme_not_allowed']],
  ['file:///etc/passwd', ['url_invalid']],
  ['file://server/etc/passwd', ['scheme_not_allowed']],
  ['gopher://127.0.0.1:6379/_FLUSHALL', ['scheme_not_allowed']],
  ['javascript:alert(1)', ['url_invalid']],
  ['ws://api.example.com/', ['scheme_not_allowed']],
  ['http://api.example.com/', ['scheme_not_allowed']],
  ['https://user@api.example.com/', ['userinfo_present']],
  ['https://:secret@api.example.com/', ['userinfo_present']],
  ['https://api.example.com/#part', ['fragment_present']],
  ['https://api.example.com:22/', ['port_not_allowed']],
  ['https://api.example.com:0/', ['port_not_allowed']],
  ['https://localhost/', ['host_reserved']],
  ['https://LOCALHOST./', ['host_reserved']],
  ['https://api.localhost/', ['host_reserved']],
  ['https://printer.local/', ['host_reserved']],
  ['https://vault.internal/', ['host_reserved']],
  ['https://nas.home.arpa/', ['host_reserved']],
  ['https://kubernetes.default.svc/', ['host_reserved']],
  ['https://kubernetes/', ['host_single_label']],
  ['https://metadata/', ['host_single_label']],
  ['https://metadata.google.internal/', ['host_metadata']],
  ['https://Metadata.Google.Internal./', ['host_metadata']],
  ['https://metadata.goog/', ['host_metadata']],
  ['https://api.example.com../', ['host_invalid']],
  ['https://api..example.com/', ['host_invalid']],
  ['https://-api.example.com/', ['host_invalid']],
  ['https://api$(id).example.com/', ['host_invalid']],
  [`https://${'a'.repeat(64)}.example.com/`, ['host_invalid']],
  ['https://127.0.0.1/', ['address_not_allowed']],
  ['https://0/', ['address_not_allowed']],
  ['https://168.63.129.16/', ['address_not_allowed']],
  ['https://[::1]/', ['address_not_allowed']],
  ['https://[::127.0.0.1]/', ['address_not_allowed']],
  ['https://allowed.example\\@127.0.0.1/', []],
  ['https://allowed.example#@127.0.0.1/', ['fragment_present']],
  ['https://allowed.example@127.0.0.1/', ['userinfo_present', 'address_not_allowed']],
])('%s: %j', (text, codes) => {
  expect(codesOf(text)).toEqual(codes);
});

function refusalOf(text: string): OutboundRefusal {
  try {
    checkUrl(text, strict);
  } catch (error) {
    if (error instanceof OutboundRefusal) return error;
  }
  return expect.fail(`not refused: ${text}`);
}

test('reports all errors at once, each with a remedy', () => {
  const text = 'http://user:secret@localhost:22/#part';
  expect(codesOf(text)).toEqual([
    'userinfo_present',
    'fragment_present',
    'scheme_not_allowed',
    'port_not_allowed',
    'host_reserved',
  ]);
  const error = refusalOf(text);
  expect(error.code).toBe('userinfo_present');
  for (const { message, hint } of error.faults) expect(error.message).toContain(`${message} ${hint}`);
  expect(error.message).not.toContain('secret');
});

test('allows http and high ports for an opened network, but not for the internet', () => {
  const policy = createPolicy({ contact, allowCidrs: ['10.1.0.0/16', 'fd12::/32'] });
  expect(codesOf('http://10.1.2.3:8123/', policy)).toEqual([]);
  expect(codesOf('http://[fd12::1]:8123/', policy)).toEqual([]);
  expect(codesOf('http://10.1.2.3:25/', policy)).toEqual(['port_not_allowed']);
  expect(codesOf('http://10.2.2.3:8000/', policy)).toEqual(['scheme_not_allowed', 'address_not_allowed']);
  expect(codesOf('http://8.8.8.8:8123/', policy)).toEqual(['scheme_not_allowed', 'port_not_allowed']);
  // For a name, the applicable rules are unknown until it is resolved.
  expect(codesOf('http://gpu.example.com:8123/', policy)).toEqual([]);
});

test('accepts any text, or rejects it with a code', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.webUrl(),
        fc.string().map((text) => `https://${text}`),
      ),
      (text) => {
        codesOf(text);
      },
    ),
    { numRuns: 500 },
  );
});
