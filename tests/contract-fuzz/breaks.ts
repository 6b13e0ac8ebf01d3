import type { Arbitrary } from 'fast-check';
import type { Operation } from './document.ts';
import type { Call } from './http.ts';
import type { FuzzedService } from './service.ts';

/** A request that was broken on purpose, and what the service owes the one who sent it. */
export interface Broken {
  call: Call;
  /** What was done to it. */
  how: string;
  /** Statuses of the refusal; null where it may be no fault at all, and only the general rules hold. */
  statuses: readonly number[] | null;
  /** Parameters and pointers that the refusal must name. */
  named: readonly string[];
  /** It never becomes a request to an operation. */
  isUnrouted?: boolean;
}

export interface Place {
  service: FuzzedService;
  operation: Operation;
}

/** One way to break a request; null where this operation has nothing to break in that way. */
export type Break = (place: Place) => ((call: Call) => Arbitrary<Broken>) | null;

export const refusedInput = [400, 422] as const;

/** Probes of machines; whoever asks them adds what they like to get past a cache. */
export const isProbe = ({ path }: Operation): boolean => !path.startsWith('/v1/');
