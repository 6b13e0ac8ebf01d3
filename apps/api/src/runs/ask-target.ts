import { DomainError } from '@inferboard/core/errors';
import {
  leftAtTarget,
  originOf,
  type TargetRefusal,
  unprovenLimits,
  withinTarget,
} from '@inferboard/db/runs/target-budget';
import { pinTarget } from '@inferboard/outbound/pin-target';
import type { Lookup } from '@inferboard/outbound/resolve-target';
import type { Deps } from '../deps.ts';

const { concurrency_max: atOnce, requests_per_day: aDay } = unprovenLimits;

/** Timeout of DNS look-ups. */
const lookup_ms = 5000;

/** Describes what counts against the shared budget. */
const together = 'counting the checks, proofs, webhook tests and runs of all accounts';

/** The error for a refused request, with the reason and the time to retry. */
export function targetRefused(origin: string, { refused, retryAfterS }: TargetRefusal): DomainError {
  if (refused === 'busy') {
    const why = `${atOnce} requests are in progress at ${origin}, the limit until control of it is proven, ${together}`;
    return new DomainError('target_busy', `${why}. Try again in ${retryAfterS} s.`, [], retryAfterS);
  }
  const why = `${origin} has received ${aDay} requests today, the limit until control of it is proven, ${together}`;
  return new DomainError(
    'target_budget_spent',
    `${why}. Try again after 00:00 UTC, in ${retryAfterS} s.`,
    [],
    retryAfterS,
  );
}

/**
 * Sends one request to a server without proof of ownership, within the budget that all accounts share for it. The request goes to
 * the address that was counted.
 *
 * @throws DomainError `target_budget_spent`, `target_busy`
 * @throws OutboundRefusal or OutboundFailure if the address may not be called or is not found; then nothing is counted
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
 * Rejects a later request to a server whose budget for today is used up.
 *
 * @throws DomainError `target_budget_spent`
 */
export async function requireLeft({ database }: Pick<Deps, 'database'>, url: string): Promise<void> {
  const origin = originOf(url);
  const { left, dayEndsInS } = await leftAtTarget(database.db, origin);
  if (left === 0) throw targetRefused(origin, { refused: 'spent', retryAfterS: dayEndsInS });
}
