import { DomainError } from '@inferboard/core/errors';
import {
  leftAtTarget,
  originOf,
  type TargetRefusal,
  unprovenLimits,
  withinTarget,
} from '@inferboard/db/queries/target-budget';
import { pinTarget } from '@inferboard/outbound/pin-target';
import type { Lookup } from '@inferboard/outbound/resolve-target';
import type { Deps } from '../deps.ts';

const { concurrency_max: atOnce, requests_per_day: aDay } = unprovenLimits;

/** For finding the address of a name. */
const lookup_ms = 5000;

/** What counts together, in words. */
const together = 'counting the checks, proofs, webhook tests and runs of all accounts';

/** A refusal in words: when to ask again, and why. */
export function targetRefused(origin: string, { refused, retryAfterS }: TargetRefusal): DomainError {
  if (refused === 'busy') {
    const why = `${atOnce} requests are under way at ${origin}, as many as there may be until control of it is proven, ${together}`;
    return new DomainError('target_busy', `${why}. Try again in ${retryAfterS} s.`, [], retryAfterS);
  }
  const why = `${origin} was asked ${aDay} requests today, as many as it may be until control of it is proven, ${together}`;
  return new DomainError(
    'target_budget_spent',
    `${why}. Try again after 00:00 UTC, in ${retryAfterS} s.`,
    [],
    retryAfterS,
  );
}

/**
 * Makes one request to a server that nobody has proven to be theirs, within what all accounts may ask of it together. The
 * request goes to the address that was counted.
 *
 * @throws DomainError `target_budget_spent`, `target_busy`
 * @throws OutboundRefusal or OutboundFailure if the address may not be called or is not found; nothing is counted then
 */
export async function askUnproven<T>(
  { database, outbound }: Pick<Deps, 'database' | 'outbound'>,
  url: string,
  ask: (lookup: Lookup) => Promise<T>,
): Promise<T> {
  const { origin, names, lookup } = await pinTarget(url, outbound, { signal: AbortSignal.timeout(lookup_ms) });
  const asked = await withinTarget(database.db, names, () => ask(lookup));
  if ('refused' in asked) throw targetRefused(origin, asked);
  return asked.answer;
}

/**
 * Refuses what would be sent later to a server that may be asked nothing more today.
 *
 * @throws DomainError `target_budget_spent`
 */
export async function requireLeft({ database }: Pick<Deps, 'database'>, url: string): Promise<void> {
  const origin = originOf(url);
  const { left, dayEndsInS } = await leftAtTarget(database.db, origin);
  if (left === 0) throw targetRefused(origin, { refused: 'spent', retryAfterS: dayEndsInS });
}
