import { oneSpelling } from './address.ts';
import { checkUrl } from './check-url.ts';
import type { Policy } from './policy.ts';
import { type Lookup, type ResolveOptions, resolveTarget, type Target } from './resolve-target.ts';

/**
 * The names under which requests to a server are counted: its origin, and the address and port that are connected to, so that
 * several names of one server count as one.
 */
export const countedNames = (origin: string, { address, port }: Pick<Target, 'address' | 'port'>): string[] => [
  origin,
  `address ${oneSpelling(address)} ${port}`,
];

/** A server whose address was looked up once, for requests that must go to that address and no other. */
export interface PinnedTarget {
  /** Scheme, host and port. */
  readonly origin: string;
  /** As `countedNames` has them. */
  readonly names: readonly string[];
  /** For the request: gives the address that was counted. */
  readonly lookup: Lookup;
}

/**
 * Looks an address up and checks it, before anything is sent.
 *
 * @throws OutboundRefusal or OutboundFailure if the address may not be called or is not found
 */
export async function pinTarget(url: string, policy: Policy, options: ResolveOptions = {}): Promise<PinnedTarget> {
  const checked = checkUrl(url, policy);
  const target = await resolveTarget(checked, policy, options);
  return {
    origin: checked.origin,
    names: countedNames(checked.origin, target),
    lookup: async () => [{ address: target.address }],
  };
}
