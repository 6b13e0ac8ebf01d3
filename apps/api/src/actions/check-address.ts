import { DomainError } from '@inferboard/core/errors';
import { type CheckedUrl, checkUrl } from '@inferboard/outbound/check-url';
import { OutboundRefusal } from '@inferboard/outbound/failures';
import type { Deps } from '../deps.ts';

/**
 * An address that somebody gave to be called, held against what may be called at all.
 *
 * @param pointer where in the body it stood
 * @throws DomainError `request_invalid` with every fault
 */
export function checkAddress(given: string, pointer: string, deps: Pick<Deps, 'outbound'>): CheckedUrl {
  try {
    return checkUrl(given, deps.outbound);
  } catch (error) {
    if (!(error instanceof OutboundRefusal)) throw error;
    throw new DomainError(
      'request_invalid',
      'This address may not be called.',
      error.faults.map(({ code, message, hint }) => ({ code, pointer, message, hint })),
    );
  }
}
