import { expect, test } from 'vitest';
import { createTraceId, formatTraceParent, parseTraceParent } from './trace-parent.ts';

const [traceId, spanId] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];

test.each([
  ['a sampled parent', `00-${traceId}-${spanId}-01`, { traceId, spanId, isSampled: true }],
  ['an unsampled parent', `00-${traceId}-${spanId}-00`, { traceId, spanId, isSampled: false }],
  ['unknown flags', `00-${traceId}-${spanId}-03`, { traceId, spanId, isSampled: true }],
  ['a later version with more fields', `cc-${traceId}-${spanId}-01-what-is-new`, { traceId, spanId, isSampled: true }],
])('parses %s', (_, header, read) => {
  expect(parseTraceParent(header)).toEqual(read);
});

test.each([
  ['none', undefined],
  ['nothing', ''],
  ['the invalid version', `ff-${traceId}-${spanId}-01`],
  ['the first version with more fields', `00-${traceId}-${spanId}-01-more`],
  ['a trace id of zeros', `00-${'0'.repeat(32)}-${spanId}-01`],
  ['a span id of zeros', `00-${traceId}-${'0'.repeat(16)}-01`],
  ['capitals', `00-${traceId.toUpperCase()}-${spanId}-01`],
  ['a short trace id', `00-${traceId.slice(1)}-${spanId}-01`],
  ['words', 'give me your keys'],
])('rejects %s', (_, header) => {
  expect(parseTraceParent(header)).toBeNull();
});

test('parses what it formats', () => {
  const parent = { traceId: createTraceId(), spanId, isSampled: true };
  expect(parseTraceParent(formatTraceParent(parent))).toEqual(parent);
});
