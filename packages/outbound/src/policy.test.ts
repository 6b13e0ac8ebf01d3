import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isPublic, parseAddress } from './address.ts';
import { OutboundRefusal } from './failures.ts';
import { createPolicy, scopeOf } from './policy.ts';
import { toDotted } from './testing/notations.ts';

const contact = 'mailto:bench@bench.example';

const scope = (text: string, allowCidrs: string[]) => {
  const address = parseAddress(text) ?? expect.fail(text);
  return scopeOf(address, createPolicy({ contact, allowCidrs }));
};

function cidrFaults(allowCidrs: string[]): string[] {
  try {
    createPolicy({ contact, allowCidrs });
    return [];
  } catch (error) {
    if (error instanceof OutboundRefusal) return error.faults.map(({ code, hint }) => `${code}: ${hint}`);
    throw error;
  }
}

test('an IPv4 network opens its own addresses only', () => {
  const number = fc.integer({ min: 0, max: 2 ** 32 - 1 });
  fc.assert(
    fc.property(number, fc.integer({ min: 1, max: 32 }), number, fc.boolean(), (base, bits, other, near) => {
      const size = 2 ** (32 - bits);
      const first = Math.floor(base / size) * size;
      const asked = near ? Math.min(first + (other % (2 * size)), 2 ** 32 - 1) : other;
      const isNamed = first <= asked && asked < first + size;
      const address = parseAddress(toDotted(asked)) ?? expect.fail();
      const answer = scope(toDotted(asked), [`${toDotted(first)}/${bits}`]);
      const isPlain = isPublic(address);
      // Metadata services stay blocked inside a larger network; the other addresses do not.
      if (isNamed) return answer === 'networks' || (!isPlain && bits < 32 && answer === null);
      return answer === (isPlain ? 'internet' : null);
    }),
    { numRuns: 3000 },
  );
});

test.each([
  ['10.1.2.3', ['10.1.0.0/16'], 'networks'],
  ['10.2.0.0', ['10.1.0.0/16'], null],
  ['10.0.255.255', ['10.1.0.0/16'], null],
  ['127.0.0.1', ['127.0.0.1'], 'networks'],
  ['127.0.0.2', ['127.0.0.1'], null],
  ['::1', ['127.0.0.0/8'], null],
  ['::1', ['::1/128'], 'networks'],
  ['fd12:3456::9', ['fd12:3456::/32'], 'networks'],
  ['fd12:3457::9', ['fd12:3456::/32'], null],
  ['8.8.8.8', ['10.0.0.0/8'], 'internet'],
  ['8.8.8.8', ['8.8.8.0/24'], 'networks'],
  // An IPv4-mapped address, which a dual-stack socket converts, does not equal the plain address.
  ['::ffff:10.1.2.3', ['10.1.0.0/16'], null],
  // A translator would connect to the embedded address, which is not allowed.
  ['64:ff9b::a01:203', ['64:ff9b::/96'], null],
  ['64:ff9b::a01:203', ['64:ff9b::/96', '10.1.0.0/16'], 'networks'],
  ['64:ff9b::808:808', ['64:ff9b::/96'], 'networks'],
  ['64:ff9b::a9fe:a9fe', ['64:ff9b::/96', '169.254.0.0/16'], null],
])('%s with %j open: %s', (text, allowCidrs, expected) => {
  expect(scope(text, allowCidrs)).toBe(expected);
});

test.each([
  ['169.254.169.254', '169.254.0.0/16'],
  ['100.100.100.200', '100.64.0.0/10'],
  ['fd00:ec2::254', 'fd00::/8'],
  ['168.63.129.16', '168.63.0.0/16'],
  ['169.254.169.254', '0.0.0.0/0'],
])('the metadata service at %s is not opened by %s, only by its own address', (text, network) => {
  expect(scope(text, [network])).toBeNull();
  expect(scope(text, [network, text])).toBe('networks');
});

test('reports every malformed network with a remedy', () => {
  const faults = cidrFaults([
    '10.0.0.0/8',
    '10.0.0.5/8',
    'fd00::1/8',
    '10.0.0.0/33',
    'ten/8',
    '10.0/8',
    '10.0.0.0/8/8',
    'fe80::%1/64',
  ]);
  expect(faults).toEqual([
    'cidr_invalid: Write 10.0.0.0/8 or 10.0.0.5/32.',
    'cidr_invalid: Write fd00::/8 or fd00::1/128.',
    'cidr_invalid: Write a prefix length of at most 32.',
    ...Array.from({ length: 4 }, () => 'cidr_invalid: Write an address and a prefix length, such as 10.1.0.0/16.'),
  ]);
});

test.each([
  '',
  'bench',
  'ftp://bench.example',
  'https://bench.example/\r\nx: y',
  `https://bench.example/${'a'.repeat(300)}`,
])('rejects a contact that is not a URL: %j', (text) => {
  expect(() => createPolicy({ contact: text })).toThrow(OutboundRefusal);
});
