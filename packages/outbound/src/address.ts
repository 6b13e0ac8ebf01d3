import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type Network = readonly [Address, number];

const networks = (...texts: string[]): Network[] => texts.map((text) => ipaddr.parseCIDR(text));

/** The only part of IPv6 from which public addresses are given out. */
const globalUnicast = networks('2000::/3');

/**
 * Where clouds hand their guests credentials. One by one, because an operator who opens the private network around them,
 * such as all of fd00::/8, does not mean these: they must be named by themselves.
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
  // Azure's wire server: a public address that answers only its guests.
  '168.63.129.16/32',
);

/** Public by registration, yet reachable only inside one cloud: services that trust whoever can reach them. */
const insideClouds = networks('161.26.0.0/16', '166.8.0.0/14', '199.36.153.4/30', '199.36.153.8/30');

/** IPv6 prefixes whose last 32 bits are an IPv4 address that a router or this host would go to in their place. */
const carriers = networks('::/96', '::ffff:0:0/96', '::ffff:0:0:0/96', '64:ff9b::/96', '64:ff9b:1::/48');
const sixToFour = networks('2002::/16');
const teredo = networks('2001::/32');

export function isInside(address: Address, [network, bits]: Network): boolean {
  return address.kind() === network.kind() && address.match(network, bits);
}

const isInAny = (address: Address, list: readonly Network[]): boolean =>
  list.some((network) => isInside(address, network));

/** Null for whatever is not an address in its usual notation: no octal, no fewer than four parts, no zone. */
export function parseAddress(text: string): Address | null {
  if (isIP(text) === 0 || text.includes('%')) return null;
  return ipaddr.parse(text);
}

/** An address in the one spelling by which it is counted; an IPv4 address within an IPv6 one is that IPv4 address. */
export const oneSpelling = (text: string): string => ipaddr.process(text).toNormalizedString();

/** True if the address is one of those that only a network of that single address can open. */
export function isMetadata(address: Address): boolean {
  return isInAny(address, metadata);
}

/** True if the address belongs to the public internet, and is not set apart for something there. */
export function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast' || isMetadata(address)) return false;
  return address.kind() === 'ipv4' ? !isInAny(address, insideClouds) : isInAny(address, globalUnicast);
}

const fromParts = (high = 0, low = 0): ipaddr.IPv4 => new ipaddr.IPv4([high >> 8, high & 255, low >> 8, low & 255]);

/** The IPv4 addresses that an IPv6 address may lead to: each must be allowed as well. */
export function embeddedAddresses(address: Address): ipaddr.IPv4[] {
  if (!(address instanceof ipaddr.IPv6)) return [];
  const parts = address.parts;
  if (['unspecified', 'loopback'].includes(address.range())) return [];
  if (isInAny(address, carriers)) return [fromParts(parts[6], parts[7])];
  if (isInAny(address, sixToFour)) return [fromParts(parts[1], parts[2])];
  if (isInAny(address, teredo)) {
    return [fromParts(parts[2], parts[3]), fromParts((parts[6] ?? 0) ^ 0xffff, (parts[7] ?? 0) ^ 0xffff)];
  }
  // ISATAP: an interface identifier that makes a router tunnel to the IPv4 address in it.
  const isIsatap = parts[5] === 0x5efe && (parts[4] === 0 || parts[4] === 0x200);
  return isIsatap ? [fromParts(parts[6], parts[7])] : [];
}

/** What kind of address it is, in a word or two, for the person who typed it. */
export function formatKind(address: Address): string {
  if (isMetadata(address)) return 'cloud metadata';
  if (isInAny(address, insideClouds)) return 'cloud-internal';
  const range = address.range();
  return range === 'unicast' ? 'unassigned' : range.replace(/[A-Z]+/g, (letters) => ` ${letters.toLowerCase()}`);
}
