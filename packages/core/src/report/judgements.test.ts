import { describe, expect, test } from 'vitest';
import { pointOf, statistic } from '../testing/report-grid.ts';
import { reportOf } from './index.ts';
import type { Report } from './types.ts';

const findingOf = (report: Report, id: string) => report.findings.find((finding) => finding.id === id);
const sentenceOf = (report: Report, id: string) => findingOf(report, id)?.sentence;

test.each(['peak_speed', 'peak_itl', 'peak_ttft'])(
  '%s: judges a sentence with a good and a bad end as notice',
  (id) => {
    const report = reportOf([
      pointOf('chatbot', ['concurrency', 1], { user_tok_s: 170, itl_ms_mean: 5.8, ttft_ms_mean: 200 }),
      pointOf('chatbot', ['concurrency', 32], { user_tok_s: 13, itl_ms_mean: 75, ttft_ms_mean: 6000 }),
    ]);
    expect(findingOf(report, id)?.severity).toBe('notice');
  },
);

describe('at a limit', () => {
  const only = (metric: 'itl_ms_mean' | 'ttft_ms_mean' | 'user_tok_s', value: number, limitS?: number) =>
    reportOf([pointOf('chatbot', ['concurrency', 8], { [metric]: value })], limitS);

  test.each([
    [20, 'good', /is 20 ms \(.*fluid, at 20 ms or less/],
    [20.1, 'notice', /is 20\.1 ms \(.*noticeable, above 20 ms and up to 70 ms/],
    // Three digits would print a value above the limit as equal to the limit.
    [20.04, 'notice', /is 20\.04 ms \(.*noticeable/],
    [70, 'notice', /is 70 ms \(.*noticeable/],
    [70.1, 'bad', /is 70\.1 ms \(.*sluggish, above 70 ms/],
    [69.96, 'notice', /is 69\.96 ms/],
  ])('judges a gap of %f ms as %s', (value, severity, words) => {
    const report = only('itl_ms_mean', value);
    expect(findingOf(report, 'peak_itl')?.severity).toBe(severity);
    expect(sentenceOf(report, 'peak_itl')).toMatch(words);
  });

  test.each([
    [3000, undefined, 'good', /3 s \(.*within the limit of 3\.0 s/],
    [3010, undefined, 'bad', /3\.01 s \(.*over the limit of 3\.0 s/],
    [3001, undefined, 'bad', /3\.001 s \(/],
    [600, 0.5, 'bad', /600 ms \(.*over the limit of 0\.5 s/],
    [3010, 3.01, 'good', /within the limit of 3\.01 s/],
  ])('judges a TTFT of %f ms against %s s as %s', (value, limitS, severity, words) => {
    const report = only('ttft_ms_mean', value, limitS);
    expect(findingOf(report, 'peak_ttft')?.severity).toBe(severity);
    expect(sentenceOf(report, 'peak_ttft')).toMatch(words);
  });

  test.each([
    [100, 'good', 'excellent'],
    [99.99, 'good', 'fluid'],
    [50, 'good', 'fluid'],
    [49.99, 'notice', 'readable'],
    [14.3, 'notice', 'readable'],
    [14.29, 'bad', 'sluggish'],
  ])('judges %f tok/s as %s and calls it %s', (value, severity, word) => {
    const finding = findingOf(only('user_tok_s', value), 'peak_speed');
    expect([finding?.severity, finding?.sentence.includes(`: ${word}, `)]).toEqual([severity, true]);
  });

  test.each([
    [70, 'good', /good scaling/],
    [69.9, 'notice', /69\.9 % .*partial scaling/],
    [25, 'notice', /partial scaling/],
    [24.99, 'bad', /poor scaling/],
    [110, 'good', /good scaling/],
    [111, 'notice', /too good/],
  ])('judges %f %% of the speed as %s', (share, severity, words) => {
    const report = reportOf([
      pointOf('chatbot', ['concurrency', 1], { user_tok_s: 100 }),
      pointOf('chatbot', ['concurrency', 8], { user_tok_s: share }),
    ]);
    expect(findingOf(report, 'peak_scaling')?.severity).toBe(severity);
    expect(sentenceOf(report, 'peak_scaling')).toMatch(words);
  });

  test('notes an interval that includes the limit', () => {
    const itl = statistic('itl_ms_mean', 19.5, { n: 3, ci95: [18.5, 20.5] });
    const report = reportOf([pointOf('chatbot', ['concurrency', 1], { itl_ms_mean: itl })]);
    expect(sentenceOf(report, 'peak_itl')).toMatch(/fluid, at 20 ms or less, but its interval includes 20 ms\.$/);
    const ttft = statistic('ttft_ms_mean', 2900, { n: 3, ci95: [2700, 3100] });
    const other = reportOf([pointOf('chatbot', ['concurrency', 1], { ttft_ms_mean: ttft })]);
    expect(sentenceOf(other, 'peak_ttft')).toMatch(/but its interval includes 3\.0 s\.$/);
  });
});

describe('uncertain statements', () => {
  const speeds = (a: [number, number], b: [number, number]) =>
    reportOf([
      pointOf('chatbot', ['concurrency', 1], {
        user_tok_s: statistic('user_tok_s', (a[0] + a[1]) / 2, { n: 3, ci95: a }),
      }),
      pointOf('rag', ['concurrency', 1], { user_tok_s: statistic('user_tok_s', (b[0] + b[1]) / 2, { n: 3, ci95: b }) }),
    ]);

  test('are marked for overlapping intervals, but not for separate ones', () => {
    expect(sentenceOf(speeds([170, 175], [168, 171]), 'peak_decode_speed')).toMatch(
      / RAG \/ QA, single request gave 169\.5 tok\/s, and the data cannot distinguish it from the best\.$/,
    );
    expect(sentenceOf(speeds([170, 175], [160, 165]), 'peak_decode_speed')).not.toMatch(/cannot distinguish/);
  });

  test('include no ranking of equal values', () => {
    const points = ['chatbot', 'rag'].map((id) => pointOf(id, ['concurrency', 1], { user_tok_s: 90 }));
    expect(sentenceOf(reportOf(points), 'peak_speed')).toMatch(
      /^In a closed loop a user is served 90 tok\/s .* and the same wherever/,
    );
  });

  test('include a rough estimate over a wide gap of depths', () => {
    const burst = (level: number, ttft_ms_mean: number) => pointOf('chatbot', ['burst', level], { ttft_ms_mean });
    // 1 + 2.811 x 255 / 8.061 = 89.9
    const rough = reportOf([burst(1, 189), burst(256, 8250)]);
    expect(sentenceOf(rough, 'burst_max_safe_queue_chatbot')).toMatch(/about 89 requests .*more than 4 times apart/);
    expect(sentenceOf(reportOf([burst(1, 189), burst(4, 8250)]), 'burst_max_safe_queue_chatbot')).not.toMatch(/apart/);
  });

  test('include smoothed dips', () => {
    const waits = [0.12, 0.2, 0.55, 0.5, 2.95, 5];
    const points = [1, 8, 32, 64, 128, 256].map((level, index) =>
      pointOf('chatbot', ['burst', level], { ttft_ms_mean: (waits[index] ?? 0) * 1000 }),
    );
    expect(reportOf(points).burst?.maxSafeQueue[0]).toMatchObject({ answer: 131, isEvened: true });
    expect(reportOf(points, 6).burst?.maxSafeQueue[0]).toMatchObject({
      answer: 256,
      bound: 'at_least',
      text: '>= 256',
    });
    expect(sentenceOf(reportOf(points, 6), 'burst_max_safe_queue_chatbot')).toMatch(/at least 256 requests/);
    const below = reportOf(points, 0.1);
    expect(below.burst?.maxSafeQueue[0]).toMatchObject({ answer: null, bound: 'below', text: '< 1' });
    expect(below.headline.maxSafeQueue).toBeNull();
    expect(sentenceOf(below, 'burst_max_safe_queue_chatbot')).toMatch(
      /over 0\.1 s at the smallest burst measured: 120 ms/,
    );
  });
});
