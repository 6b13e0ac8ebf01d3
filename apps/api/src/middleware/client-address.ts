import { BlockList, isIP } from 'node:net';
import type { Context } from 'hono';

/** The parts of a request that determine its client address. */
export interface Origin {
  /** Address of the socket's peer; undefined if there is no socket. */
  remoteAddress: string | undefined;
  header(name: string): string | undefined;
}

/** The Node server's request, if there is one: tests send requests without a socket. */
interface Bindings {
  incoming?: { socket?: { remoteAddress?: string } };
}

/** The origin of a request that reached the framework. */
export function originOf(c: Context): Origin {
  const { incoming } = (c.env ?? {}) as Bindings; // set by the node adapter; absent without a socket
  return { remoteAddress: incoming?.socket?.remoteAddress, header: (name) => c.req.header(name) };
}

/** Address of the socket's peer; null if there is no socket. */
export const peerOf = ({ remoteAddress }: Origin): string | null => toAddress(remoteAddress ?? '');

/** Parses an address as a proxy may write it, without port and brackets; null for other text. */
function toAddress(text: string): string | null {
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  const unscoped = bare.replace(/%.*$/, '');
  return isIP(unscoped) === 0 ? null : (/^::ffff:([\d.]+)$/i.exec(unscoped)?.[1] ?? unscoped);
}

/** The `for` of every hop of a Forwarded header (RFC 7239), the nearest last. */
function hopsOfForwarded(header: string): string[] {
  return header.split(',').map((hop) => /(?:^|;)\s*for="?([^";]*)"?\s*(?:;|$)/i.exec(hop.trim())?.[1]?.trim() ?? '');
}

const hopsOfXForwardedFor = (header: string): string[] => header.split(',').map((hop) => hop.trim());

/**
 * The addresses reported by proxies, the nearest last. A proxy writes one of the two headers and may pass on the other as an
 * untrusted client sent it. If the headers differ, both are ignored.
 */
function hopsOf({ header }: Origin): string[] {
  const [x, standard] = [header('x-forwarded-for'), header('forwarded')];
  const said = x === undefined ? null : hopsOfXForwardedFor(x);
  const saidToo = standard === undefined ? null : hopsOfForwarded(standard);
  if (said === null || saidToo === null) return said ?? saidToo ?? [];
  const same = said.map(toAddress).join() === saidToo.map(toAddress).join();
  return same ? said : [];
}

/** Returns a function that checks whether an address is in one of these CIDR networks. */
export function createTrust(networks: readonly string[]): (address: string) => boolean {
  const trusted = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    trusted.addSubnet(address, Number(prefix), isIP(address) === 6 ? 'ipv6' : 'ipv4');
  }
  return (address) => trusted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): string[] {
  // The URL parser normalises every spelling: short, lower case, without dotted parts.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const [left, right] = [head, tail ?? ''].map((part) => (part === '' ? [] : part.split(':')));
  if (left === undefined || right === undefined || tail === undefined) return left ?? [];
  return [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right];
}

/**
 * The network of one client: an IPv4 address, or the /64 network of an IPv6 address, because every subscriber owns all addresses
 * in it.
 *
 * @param address an IP address from a socket or a proxy
 */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const groups = groupsOf(address);
  const [high, low] = groups.slice(6).map((group) => Number.parseInt(group, 16));
  const isMapped = groups.slice(0, 5).every((group) => group === '0') && groups[5] === 'ffff';
  if (isMapped && high !== undefined && low !== undefined)
    return [high >> 8, high & 255, low >> 8, low & 255].join('.');
  return `${groups.slice(0, 4).join(':')}::/64`;
}

/**
 * Determines the client address for rate limits. Forwarding headers are read from the nearest hop backwards while the hop is a
 * trusted proxy. Entries before the first untrusted hop are ignored, because that hop may have forged them.
 *
 * @param trustedProxies CIDR networks; if empty, the headers are ignored
 */
export function createAddressReader(trustedProxies: readonly string[]): (origin: Origin) => string {
  const isTrusted = createTrust(trustedProxies);
  return (origin) => {
    const peer = peerOf(origin);
    if (peer === null) return 'unknown';
    let client = peer;
    for (const hop of trustedProxies.length === 0 ? [] : hopsOf(origin).toReversed()) {
      if (!isTrusted(client)) break;
      const address = toAddress(hop);
      if (address === null) break;
      client = address;
    }
    return networkOf(client);
  };
}
