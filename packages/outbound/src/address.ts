import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type Network = readonly [Address, number];

const networks = (...texts: string[]): Network[] => texts.map((text) => ipaddr.parseCIDR(text));

/** The only IPv6 range from which public addresses are allocated. */
const globalUnicast = networks('2000::/3');

/**
 * Addresses at which clouds provide credentials to their guests. Listed individually: an operator who allows the surrounding
 * private network, such as all of fd00::/8, does not mean to allow them. Each needs an explicit entry.
 */
const metadata = networks(
  '169.254.169.254/32',
  // Amazon's container tasks and pods.
  '169.254.170.2/32',
  '169.254.170.23/32',
  'fd00:ec2::254/128',
  'fd00:ec2::23/128',
  // Tencent, Scaleway, Alibaba, Oracle, Equinix, Google.
  '169.254.0.23/32',
  '169.254.42.42/32',
  'fd00:42::42/128',
  '100.100.100.200/32',
  '192.0.0.192/32',
  'fd00:c1::a9fe:a9fe/128',
  '192.80.8.124/32',
  'fd20:ce::254/128',
  // Azure's wire server: a public address that responds only to its guests.
  '168.63.129.16/32',
);

/** Publicly registered, but reachable only within one cloud: services that trust all clients that can reach them. */
const insideClouds = networks('161.26.0.0/16', '166.8.0.0/14', '199.36.153.4/30', '199.36.153.8/30');

/** IPv6 prefixes whose last 32 bits are an IPv4 address that a router or this host would connect to instead. */
const carriers = networks('::/96', '::ffff:0:0/96', '::ffff:0:0:0/96', '64:ff9b::/96', '64:ff9b:1::/48');
const sixToFour = networks('2002::/16');
const teredo = networks('2001::/32');

export function isInternal(address: Address, [network, bits]: Network): boolean {
  return address.kind() === network.kind() && address.match(network, bits);
}

const isInAny = (address: Address, list: readonly Network[]): boolean =>
  list.some((network) => isInternal(address, network));

/** Null for text that is not an address in its usual notation. Rejects octal, fewer than four parts, and zones. */
export function parseAddress(text: string): Address | null {
  if (isIP(text) === 0 || text.includes('%')) return null;
  return ipaddr.parse(text);
}

/** The canonical notation of an address, for counting. An IPv4 address inside an IPv6 address becomes the IPv4 address. */
export const oneSpelling = (text: string): string => ipaddr.process(text).toNormalizedString();

/** True if only a network of that single address can allow the address. */
export function isMetadata(address: Address): boolean {
  return isInAny(address, metadata);
}

/** True if the address belongs to the public internet and is not reserved for a special purpose. */
export function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast' || isMetadata(address)) return false;
  return address.kind() === 'ipv4' ? !isInAny(address, insideClouds) : isInAny(address, globalUnicast);
}

const fromParts = (high = 0, low = 0): ipaddr.IPv4 => new ipaddr.IPv4([high >> 8, high & 255, low >> 8, low & 255]);

/** IPv4 addresses that an IPv6 address may lead to. Each must be allowed as well. */
export function embeddedAddresses(address: Address): ipaddr.IPv4[] {
  if (!(address instanceof ipaddr.IPv6)) return [];
  const parts = address.parts;
  if (['unspecified', 'loopback'].includes(address.range())) return [];
  if (isInAny(address, carriers)) return [fromParts(parts[6], parts[7])];
  if (isInAny(address, sixToFour)) return [fromParts(parts[1], parts[2])];
  if (isInAny(address, teredo)) {
    return [fromParts(parts[2], parts[3]), fromParts((parts[6] ?? 0) ^ 0xffff, (parts[7] ?? 0) ^ 0xffff)];
  }
  // ISATAP: the interface identifier makes a router tunnel to the embedded IPv4 address.
  const isIsatap = parts[5] === 0x5efe && (parts[4] === 0 || parts[4] === 0x200);
  return isIsatap ? [fromParts(parts[6], parts[7])] : [];
}

/** The type of an address in a word or two, for the user who entered it. */
export function formatKind(address: Address): string {
  if (isMetadata(address)) return 'cloud metadata';
  if (isInAny(address, insideClouds)) return 'cloud-internal';
  const range = address.range();
  return range === 'unicast' ? 'unassigned' : range.replace(/[A-Z]+/g, (letters) => ` ${letters.toLowerCase()}`);
}
