import type { FirstResult } from '@inferboard/core/claims/copied-finding';
import type { CheckedResult, Trust } from '@inferboard/core/result';
import type { ClaimKey, ClaimSummary } from '../point-statistics/claim-summary.ts';
import type { Addition } from './point-statistics-read.ts';
import type { Place } from './point-upsert.ts';

/** A claim that results are added to. */
export interface GrowingClaim {
  key: ClaimKey;
  /** As it is stored; null of a claim that is new. */
  stored: ClaimSummary | null;
  /** All that is added. */
  added: Addition;
  /** As it was when it was last summed up and judged; null: it was not. */
  now: ClaimSummary | null;
  /** True where something was added since. */
  isStale: boolean;
}

/** A result that is about to be stored. */
export interface NewResult {
  id: string;
  submissionId: string;
  accountId: string;
  /** Its place in the artifact, from 0. */
  ordinal: number;
  result: CheckedResult;
  place: Place;
  /** What said the same before: this one does not count then. */
  first: FirstResult | null;
  /** Null where it does not count. */
  claim: GrowingClaim | null;
  /** The trust that its uploader is told: what is stored may change by what is stored together with it. */
  trust: Trust;
}

/** The trust that is stored, which is that of its claim where that ranks. */
export function trustOf({ result, claim }: NewResult): Trust {
  return result.status === 'accepted' && claim !== null ? (claim.now?.trust ?? result.trust) : result.trust;
}
