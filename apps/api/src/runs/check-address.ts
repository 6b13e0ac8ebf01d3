import { DomainError } from '@inferboard/core/errors';
import { type CheckedUrl, checkUrl } from '@inferboard/outbound/check-url';
import { OutboundRefusal } from '@inferboard/outbound/failures';
import type { Deps } from '../deps.ts';

/**
 * Checks a user-supplied URL against the policy for outbound requests.
 *
 * @param pointer its location in the body
 * @throws DomainError `request_invalid` with all errors
 */
export function checkAddress(given: string, pointer: string, deps: Pick<Deps, 'outbound'>): CheckedUrl {
  try {
    return checkUrl(given, deps.outbound);
  } catch (error) {
    if (!(error instanceof OutboundRefusal)) throw error;
    throw new DomainError(
      'request_invalid',
      'Requests to this URL are not allowed.',
      error.faults.map(({ code, message, hint }) => ({ code, pointer, message, hint })),
    );
  }
}
