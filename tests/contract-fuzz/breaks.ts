import type { Arbitrary } from 'fast-check';
import type { Operation } from './document.ts';
import type { Call } from './http.ts';
import type { FuzzedService } from './service.ts';

/** An intentionally invalid request and the expected response. */
export interface Broken {
  call: Call;
  /** The kind of change. */
  how: string;
  /** Allowed error statuses; null if the request can be valid, so that only the general rules apply. */
  statuses: readonly number[] | null;
  /** Parameters and pointers that the error must name. */
  named: readonly string[];
  /** It is rejected before it reaches an operation. */
  isUnrouted?: boolean;
}

export interface Place {
  service: FuzzedService;
  operation: Operation;
}

/** One way to break a request; null if it does not apply to this operation. */
export type Break = (place: Place) => ((call: Call) => Arbitrary<Broken>) | null;

export const refusedInput = [400, 422] as const;

/** Health checks; monitoring clients add arbitrary parameters to bypass caches. */
export const isProbe = ({ path }: Operation): boolean => !path.startsWith('/v1/');
