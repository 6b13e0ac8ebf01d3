import { lookup as systemLookup } from 'node:dns/promises';
import { parseAddress } from './address.ts';
import { type CheckedUrl, checkUrl, ruleFaults } from './check-url.ts';
import { describeError, type Fault, OutboundFailure, OutboundRefusal, refuse } from './failures.ts';
import { type Policy, scopeOf } from './policy.ts';

/** Returns all addresses of a name. */
export type Lookup = (host: string) => Promise<readonly { readonly address: string }[]>;

export interface TargetAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Connection target of a URL. Connect to `address`, and never resolve the name again. */
export interface Target extends TargetAddress {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  /** The expected name in the TLS certificate. Empty if the host is an address, which the certificate must then contain. */
  readonly servername: string;
  /** The value of the Host header. */
  readonly authority: string;
  /** All allowed addresses, `address` first. The others are fallbacks. */
  readonly addresses: readonly TargetAddress[];
}

export interface ResolveOptions {
  /** The resolver; the system's by default. */
  readonly lookup?: Lookup;
  /** Aborts the lookup. */
  readonly signal?: AbortSignal;
}

/** The system's order puts reachable addresses first. */
const defaultLookup: Lookup = (host) => systemLookup(host, { all: true, order: 'verbatim' });

/** Rejects on abort, for work that does not support signals. */
async function untilAborted<T>(start: () => Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([start(), aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

async function listAddresses(url: CheckedUrl, { lookup = defaultLookup, signal }: ResolveOptions): Promise<string[]> {
  if (url.literal) return [url.host];
  try {
    const ask = () => lookup(url.host);
    const answers = await (signal === undefined ? ask() : untilAborted(ask, signal));
    if (answers.length > 0) return answers.map(({ address }) => address);
  } catch (error) {
    if (signal?.aborted && signal.reason instanceof OutboundFailure) throw signal.reason;
    if (signal?.aborted) throw new OutboundFailure('canceled', `${url.host}: canceled during look-up`);
    throw new OutboundFailure('no answer', `${url.host}: ${describeError(error)}`);
  }
  throw new OutboundFailure('no answer', `${url.host}: the name has no address`);
}

function addressFaults(text: string, url: CheckedUrl, policy: Policy): Fault[] {
  const address = parseAddress(text);
  const scope = address === null ? null : scopeOf(address, policy);
  if (scope !== null) return ruleFaults(url, policy[scope]);
  // Omits the address, because users must not learn how names resolve in our network.
  const message = `${url.host} does not resolve only to public addresses.`;
  const hint =
    'Give a host whose every address is public, or ask the operator to name its network in ENDPOINT_ALLOW_CIDRS.';
  return [{ code: 'address_not_allowed', message, hint }];
}

/**
 * Resolves a URL's host once and checks every address against the policy. One disallowed address rejects the host, because a
 * later connection could use it.
 *
 * @throws OutboundRefusal if the URL or one of the addresses is not allowed
 * @throws OutboundFailure `no answer` if the name has no address, `canceled` or the signal's own failure on abort
 */
export async function resolveTarget(
  given: CheckedUrl | string,
  policy: Policy,
  options: ResolveOptions = {},
): Promise<Target> {
  const url = typeof given === 'string' ? checkUrl(given, policy) : given;
  const texts = await listAddresses(url, options);
  const faults = texts.flatMap((text) => addressFaults(text, url, policy));
  const distinct = faults.filter((fault, index) => faults.findIndex(({ code }) => code === fault.code) === index);
  refuse(distinct, `${url.host} has the addresses ${texts.join(', ')}`);
  const addresses = texts.map((address): TargetAddress => ({ address, family: address.includes(':') ? 6 : 4 }));
  const [first] = addresses;
  if (first === undefined) throw new OutboundFailure('no answer', `${url.host}: the name has no address`);
  return {
    ...first,
    host: url.host,
    port: url.port,
    tls: url.tls,
    servername: url.literal ? '' : url.host,
    authority: url.origin.slice(url.origin.indexOf('//') + 2),
    addresses,
  };
}

/** Checks again whether an address is allowed. @throws OutboundRefusal if it is not */
export function recheckAddress(target: Target, { address }: TargetAddress, policy: Policy): void {
  const parsed = parseAddress(address);
  if (parsed !== null && scopeOf(parsed, policy) !== null) return;
  const fault: Fault = {
    code: 'address_not_allowed',
    message: `${target.host} does not resolve only to public addresses.`,
    hint: 'Give a host whose every address is public.',
  };
  throw new OutboundRefusal([fault], `${target.host}: ${address} was not allowed when connecting`);
}
