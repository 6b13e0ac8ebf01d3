import {
  type Address,
  embeddedAddresses,
  isInternal,
  isMetadata,
  isPublic,
  type Network,
  parseAddress,
} from './address.ts';
import { type Fault, refuse } from './failures.ts';

/** First and last port, inclusive. */
export type PortRange = readonly [number, number];

export interface Rules {
  /** Whether unencrypted requests are allowed. */
  readonly http: boolean;
  readonly ports: readonly PortRange[];
}

/** The network of an address: the internet, or one that the operator allowed. */
export type Scope = 'internet' | 'networks';

/** Rules for outbound requests. Created by `createPolicy`. */
export interface Policy {
  readonly internet: Rules;
  readonly networks: Rules;
  readonly allowed: readonly Network[];
  readonly userAgent: string;
}

export interface PolicyOptions {
  /** Contact of the operator for owners of called servers: an http(s) or mailto URL, sent with every request. */
  readonly contact: string;
  /**
   * Allowed networks in addition to the internet, such as `10.1.0.0/16` or `fd12:3456::/32`. A bare address allows only itself.
   */
  readonly allowCidrs?: readonly string[];
  readonly internet?: Partial<Rules>;
  readonly networks?: Partial<Rules>;
}

/** Web ports and the default ports of inference servers. */
const internetPorts: readonly PortRange[] = [80, 443, 3000, 8000, 8080, 8443, 11434, 30000].map((port) => [port, port]);

/**
 * Excludes mail, remote shells and name servers below 1024. An operator who allows a GPU network does not mean to allow those.
 */
const networkPorts: readonly PortRange[] = [
  [80, 80],
  [443, 443],
  [1024, 65_535],
];

const isFault = (item: Network | Fault): item is Fault => 'code' in item;

function parseCidr(text: string): Network | Fault {
  const fault = (message: string, hint: string): Fault => ({ code: 'cidr_invalid', message, hint });
  const [base = '', prefix, ...rest] = text.trim().split('/');
  const address = parseAddress(base);
  if (address === null || rest.length > 0 || (prefix !== undefined && !/^\d{1,3}$/.test(prefix))) {
    return fault(`"${text}" is not a network.`, 'Write an address and a prefix length, such as 10.1.0.0/16.');
  }
  const width = address.kind() === 'ipv4' ? 32 : 128;
  const bits = prefix === undefined ? width : Number(prefix);
  if (bits > width) return fault(`"${text}" has too long a prefix.`, `Write a prefix length of at most ${width}.`);
  const first = firstOf(address, bits);
  if (address.toNormalizedString() !== first.toNormalizedString()) {
    const single = address.toString();
    return fault(`"${text}" is not the first address of its network.`, `Write ${first}/${bits} or ${single}/${width}.`);
  }
  return [address, bits];
}

function firstOf(address: Address, bits: number): Address {
  const bytes = address.toByteArray().map((byte, index) => {
    const kept = Math.min(Math.max(bits - index * 8, 0), 8);
    return byte & (0xff00 >> kept) & 0xff;
  });
  const groups =
    address.kind() === 'ipv4' ? bytes.join('.') : Buffer.from(bytes).toString('hex').match(/.{4}/g)?.join(':');
  return parseAddress(groups ?? '') ?? address;
}

function contactFaults(contact: string): Fault[] {
  const url = URL.canParse(contact) ? new URL(contact) : null;
  if (url !== null && /^(https?|mailto):$/.test(url.protocol) && /^[\x21-\x7e]{1,200}$/.test(contact)) return [];
  const message = 'The contact for our requests is not a URL.';
  return [
    { code: 'contact_invalid', message, hint: 'Give an http, https or mailto URL of at most 200 ASCII characters.' },
  ];
}

/**
 * Creates the policy that all outbound requests are checked against.
 *
 * @throws OutboundRefusal with every malformed network, and a contact that is not a URL
 */
export function createPolicy(options: PolicyOptions): Policy {
  const parsed = (options.allowCidrs ?? []).map(parseCidr);
  refuse([...parsed.filter(isFault), ...contactFaults(options.contact)]);
  return {
    internet: { http: false, ports: internetPorts, ...options.internet },
    networks: { http: true, ports: networkPorts, ...options.networks },
    allowed: parsed.flatMap((item) => (isFault(item) ? [] : [item])),
    userAgent: `inferboard (+${options.contact})`,
  };
}

/** Whether the rules allow requests to that port. */
export function hasPort(rules: Rules, port: number): boolean {
  return rules.ports.some(([first, last]) => first <= port && port <= last);
}

function ownScope(address: Address, policy: Policy): Scope | null {
  const holders = policy.allowed.filter((network) => isInternal(address, network));
  const named = isMetadata(address)
    ? holders.some(([, bits]) => bits === address.toByteArray().length * 8)
    : holders.length > 0;
  if (named) return 'networks';
  return isPublic(address) ? 'internet' : null;
}

/** The network of an address; null if requests to it are not allowed. */
export function scopeOf(address: Address, policy: Policy): Scope | null {
  const scope = ownScope(address, policy);
  return embeddedAddresses(address).every((inner) => ownScope(inner, policy) !== null) ? scope : null;
}
