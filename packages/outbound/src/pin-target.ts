import { oneSpelling } from './address.ts';
import { checkUrl } from './check-url.ts';
import type { Policy } from './policy.ts';
import { type Lookup, type ResolveOptions, resolveTarget, type Target } from './resolve-target.ts';

/**
 * The names under which requests to a server are counted: its origin, and the connected address and port. Several names of one
 * server thus count as one.
 */
export const countedNames = (origin: string, { address, port }: Pick<Target, 'address' | 'port'>): string[] => [
  origin,
  `address ${oneSpelling(address)} ${port}`,
];

/** A server whose address was resolved once. Its requests must use that address only. */
export interface PinnedTarget {
  /** Scheme, host and port. */
  readonly origin: string;
  /** The result of `countedNames`. */
  readonly names: readonly string[];
  /** Pass to the request: returns the counted address. */
  readonly lookup: Lookup;
}

/**
 * Resolves and checks an address before any request is sent.
 *
 * @throws OutboundRefusal or OutboundFailure if the address is not allowed or not found
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
