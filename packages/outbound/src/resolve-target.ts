import { lookup as systemLookup } from 'node:dns/promises';
import { parseAddress } from './address.ts';
import { type CheckedUrl, checkUrl, ruleFaults } from './check-url.ts';
import { describeError, type Fault, OutboundFailure, OutboundRefusal, refuse } from './failures.ts';
import { type Policy, scopeOf } from './policy.ts';

/** Every address of a name. */
export type Lookup = (host: string) => Promise<readonly { readonly address: string }[]>;

export interface TargetAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Where to connect for a URL. Whoever opens the socket goes to `address`, and never asks for the name again. */
export interface Target extends TargetAddress {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  /** For TLS: whose certificate to expect. Empty where the host is an address, which then stands in the certificate. */
  readonly servername: string;
  /** The value of the Host header. */
  readonly authority: string;
  /** All that passed, `address` first: the others serve when it does not answer. */
  readonly addresses: readonly TargetAddress[];
}

export interface ResolveOptions {
  /** Whom to ask; the system unless given. */
  readonly lookup?: Lookup;
  /** Gives up on the name server. */
  readonly signal?: AbortSignal;
}

/** The system's order puts first what this machine can reach. */
const defaultLookup: Lookup = (host) => systemLookup(host, { all: true, order: 'verbatim' });

/** Gives up on work that knows no signal. */
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
  // Without the address: how names resolve inside our network is not for whoever asks.
  const message = `${url.host} does not lead to the public internet alone.`;
  const hint =
    'Give a host whose every address is public, or ask the operator to name its network in ENDPOINT_ALLOW_CIDRS.';
  return [{ code: 'address_not_allowed', message, hint }];
}

/**
 * Asks once for the addresses of a URL's host, and holds every one of them against the policy: one that is not allowed
 * refuses the host, since nobody knows which of them a later connection would take.
 *
 * @throws OutboundRefusal if the URL or one of the addresses is not allowed
 * @throws OutboundFailure `no answer` if the name has no address, `canceled` or the signal's own failure if that fired
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

/** Whether an address passed then would pass now. @throws OutboundRefusal if it would not */
export function recheckAddress(target: Target, { address }: TargetAddress, policy: Policy): void {
  const parsed = parseAddress(address);
  if (parsed !== null && scopeOf(parsed, policy) !== null) return;
  const fault: Fault = {
    code: 'address_not_allowed',
    message: `${target.host} does not lead to the public internet alone.`,
    hint: 'Give a host whose every address is public.',
  };
  throw new OutboundRefusal([fault], `${target.host}: ${address} was not allowed when connecting`);
}
