import { expect, test } from 'vitest';
import { packRequest, unpackRequest } from './packed-request.ts';

const row = { sent_s: 0.5, output_tokens: 3, ttft_ms: 20.125, e2e_ms: 41.5, itl_ms: null, error: null };

test('restores the gaps of a report to the microsecond', () => {
  const gaps = Uint32Array.of(0, 1, 10_250, 2 ** 32 - 1);
  const written: unknown = JSON.parse(JSON.stringify(packRequest(row, gaps)));
  expect(unpackRequest(written)).toEqual({ ...row, itl_ms: [0, 0.001, 10.25, 4_294_967.295] });
});

test('reads requests without gaps, and those of older journals', () => {
  expect(unpackRequest(packRequest(row, null))).toEqual(row);
  expect(unpackRequest({ ...row, itl_ms: [1.5, 2] })).toEqual({ ...row, itl_ms: [1.5, 2] });
});
