import { randomUUID } from 'node:crypto';

/** A caller's place in a trace, by the W3C's Trace Context. */
export interface TraceParent {
  /** 32 hexadecimal digits. */
  traceId: string;
  /** 16 hexadecimal digits. */
  spanId: string;
  isSampled: boolean;
}

const shape = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Reads a `traceparent` header; null where there is none, or it is not one: the trace begins here then. */
export function parseTraceParent(header: string | undefined): TraceParent | null {
  const [, version, traceId = '', spanId = '', flags = '', more] = shape.exec(header ?? '') ?? [];
  // Later versions may say more, the first one does not.
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return null;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export const formatTraceParent = ({ traceId, spanId, isSampled }: TraceParent): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;

/** The id of a trace that begins here. The bytes of UUIDs are drawn in advance, where others are asked of the system one by one. */
export const createTraceId = (): string => randomUUID().replaceAll('-', '');
