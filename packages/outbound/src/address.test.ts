import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatKind, isPublic, parseAddress } from './address.ts';
import { forbiddenNumber, forbiddenRanges, toDotted, toNumber } from './testing/notations.ts';

const isPublicText = (text: string): boolean => {
  const address = parseAddress(text);
  return address !== null && isPublic(address);
};

test('no address in a special IPv4 range is public', () => {
  fc.assert(
    fc.property(forbiddenNumber, (value) => !isPublicText(toDotted(value))),
    { numRuns: 2000 },
  );
});

test('addresses next to each special IPv4 range are public, unless another range contains them', () => {
  const isForbidden = (value: number) =>
    forbiddenRanges.some(([first, bits]) => {
      const from = toNumber(first);
      return from <= value && value < from + 2 ** (32 - bits);
    });
  const neighbours = forbiddenRanges
    .flatMap(([first, bits]) => [toNumber(first) - 1, toNumber(first) + 2 ** (32 - bits)])
    .filter((value) => value >= 0 && value < 2 ** 32 && !isForbidden(value));
  expect(neighbours.length).toBeGreaterThan(20);
  expect(neighbours.map(toDotted).filter((text) => !isPublicText(text))).toEqual([]);
});

test('nothing outside 2000::/3 is public', () => {
  const groups = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 });
  const outside = groups
    .filter(([first = 0]) => first >> 13 !== 1)
    .map((parts) => parts.map((part) => part.toString(16)));
  fc.assert(
    fc.property(outside, (parts) => !isPublicText(parts.join(':'))),
    { numRuns: 2000 },
  );
});

test.each([
  '::',
  '::1',
  '::127.0.0.1',
  '::ffff:8.8.8.8',
  '64:ff9b::8.8.8.8',
  '64:ff9b:1::8.8.8.8',
  '100::1',
  '2001::1',
  '2001:2::1',
  '2001:10::1',
  '2001:20::1',
  '2001:db8::1',
  '2002:808:808::1',
  '2620:4f:8000::1',
  '3fff::1',
  '5f00::1',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fec0::1',
  'ff02::1',
  '4000::1',
  'e000::1',
])('%s is not public', (text) => {
  expect(isPublicText(text)).toBe(false);
});

test.each([
  '8.8.8.8',
  '1.1.1.1',
  '93.184.216.34',
  '168.63.129.15',
  '168.63.129.17',
  '2606:4700:4700::1111',
  '2a00:1450:4001::5',
])('%s is public', (text) => {
  expect(isPublicText(text)).toBe(true);
});

test('addresses that public networks use internally are not public', () => {
  for (const text of ['168.63.129.16', '161.26.0.10', '166.9.0.1', '192.80.8.124', '199.36.153.4']) {
    expect(isPublicText(text), text).toBe(false);
  }
});

test.each([
  '0177.0.0.1',
  '127.1',
  '0x7f000001',
  '2130706433',
  '127.0.0.1 ',
  'fe80::1%eth0',
  '::1%1',
  '[::1]',
  '',
  'localhost',
])('a DNS answer of %j is not parsed as an address', (text) => {
  expect(parseAddress(text)).toBeNull();
});

test('names the kind of an address', () => {
  const kinds = ['127.0.0.1', '10.0.0.1', '169.254.1.1', '169.254.169.254', 'fd00::1', '::ffff:1.1.1.1', '4000::1'];
  expect(kinds.map((text) => formatKind(parseAddress(text) ?? expect.fail(text)))).toEqual([
    'loopback',
    'private',
    'link local',
    'cloud metadata',
    'unique local',
    'ipv4 mapped',
    'unassigned',
  ]);
});
