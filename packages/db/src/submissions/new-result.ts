import type { FirstResult } from '@inferboard/core/claims/copied-finding';
import type { CheckedResult, Trust } from '@inferboard/core/subjects/result';
import type { ClaimKey, ClaimSummary } from '../point-statistics/claim-summary.ts';
import type { Addition } from '../points/point-statistics-read.ts';
import type { Place } from '../points/point-upsert.ts';

/** A claim that gains results. */
export interface ClaimUpdate {
  key: ClaimKey;
  /** The stored claim; null for a new one. */
  stored: ClaimSummary | null;
  /** All added results. */
  added: Addition;
  /** The last computed and judged state; null before the first computation. */
  now: ClaimSummary | null;
  /** True if results were added since. */
  isStale: boolean;
}

/** A result about to be stored. */
export interface NewResult {
  id: string;
  submissionId: string;
  accountId: string;
  /** Index in the artifact, from 0. */
  ordinal: number;
  result: CheckedResult;
  place: Place;
  /** The earlier result that it copies; a copy does not count. */
  first: FirstResult | null;
  /** Null if it does not count. */
  claim: ClaimUpdate | null;
  /** The trust returned to the uploader. The stored trust may change with results stored in the same transaction. */
  trust: Trust;
}

/** The trust to store: the claim's trust if the result ranks. */
export function trustOf({ result, claim }: NewResult): Trust {
  return result.status === 'accepted' && claim !== null ? (claim.now?.trust ?? result.trust) : result.trust;
}
