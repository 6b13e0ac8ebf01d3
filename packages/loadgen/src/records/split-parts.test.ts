import { readArtifact } from '@inferboard/core/adapters/index';
import { expect, test } from 'vitest';
import { partLimits, splitParts } from './split-parts.ts';

const reportOf = (requests: number, gaps: number) =>
  `${JSON.stringify({
    schema: 'inferboard/v1',
    tool: { name: 'inferboard-loadgen', version: '0.1.0' },
    system: { model: 'Qwen/Qwen3-8B' },
    results: [
      {
        load: { mode: 'concurrency', level: 1 },
        requests: Array.from({ length: requests }, (_, at) => ({
          ...{ sent_s: at, ttft_ms: 10, e2e_ms: 100, output_tokens: gaps + 1 },
          itl_ms: new Array(gaps).fill(1.25),
        })),
      },
    ],
  })}\n`;

test('joins reports that fit, in order', () => {
  const reports = [reportOf(1, 2), reportOf(2, 2), reportOf(3, 2)];
  const { parts, shortened } = splitParts(reports);
  expect([parts, shortened]).toEqual([[{ text: reports.join(''), reports: 3 }], 0]);
});

test.each([
  ['bytes', { ...partLimits, bytes: 700 }],
  ['requests', { ...partLimits, requests: 4 }],
  ['gaps', { ...partLimits, gaps: 8 }],
])('starts another part at the limit of %s', (_what, limits) => {
  const reports = Array.from({ length: 5 }, () => reportOf(2, 2));
  const { parts, shortened } = splitParts(reports, limits);
  expect(parts.map((part) => part.reports)).toEqual([2, 2, 1]);
  expect(parts.map(({ text }) => text).join('')).toBe(reports.join(''));
  expect(shortened).toBe(0);
});

test('omits the gaps of a report that is too large', () => {
  const large = reportOf(1000, 2500);
  expect(() => readArtifact(Buffer.from(large))).toThrow();
  const { parts, shortened } = splitParts([reportOf(1, 2), large]);
  expect([parts.map((part) => part.reports), shortened]).toEqual([[2], 1]);
  const [, result] = readArtifact(Buffer.from(parts[0]?.text ?? '')).results;
  expect(result?.requests).toHaveLength(1000);
  expect(result?.requests?.[0]).toMatchObject({ ttftMs: 10, e2eMs: 100 });
});
