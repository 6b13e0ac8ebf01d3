import { describe, expect, test } from 'vitest';
import { gridPoints, pointOf, scenarioOf, statistic } from '../testing/report-grid.ts';
import { reportOf } from './index.ts';
import type { Report } from './types.ts';

const sentenceOf = (report: Report, id: string) => report.findings.find((finding) => finding.id === id)?.sentence;
const findingOf = (report: Report, id: string) => report.findings.find((finding) => finding.id === id);
const idsOf = (report: Report) => report.findings.map(({ id }) => id);

describe('the full grid of four scenarios', () => {
  const report = reportOf(gridPoints);

  test('has the headline metrics, each with its origin', () => {
    const { peakDecodeSpeed, maxDecodeThroughput, maxOutputThroughput, bestTtft, maxSafeQueue } = report.headline;
    expect(peakDecodeSpeed).toMatchObject({
      metric: 'user_tok_s',
      value: 172.5,
      unit: 'tok/s',
      n: 1,
      definition: 'client',
      scenario: { id: 'chatbot', title: 'Chatbot', inputTokens: 1024, outputTokens: 256 },
      load: { mode: 'concurrency', level: 1 },
      source: 'results of concurrency 1',
    });
    // 256 users x 38.18 tok/s each: calculated, and marked as such.
    expect(maxDecodeThroughput).toMatchObject({ metric: 'decode_tok_s', derived: true, load: { level: 256 } });
    expect(maxDecodeThroughput?.value).toBeCloseTo(9774, 6);
    expect(maxOutputThroughput).toBeNull();
    expect(bestTtft).toMatchObject({ value: 189, unit: 'ms', load: { mode: 'burst', level: 1 } });
    expect(maxSafeQueue).toMatchObject({ scenario: { id: 'chatbot' }, answer: 131, bound: 'estimate' });
  });

  test('describes the closed loop', () => {
    expect(sentenceOf(report, 'peak_speed')).toBe(
      'In a closed loop a user is served 172.5 tok/s (Chatbot, single request) at best: excellent, at 100 tok/s or more. ' +
        'At worst it is 13.2 tok/s (Tool-calling agent, 32 concurrent): sluggish, below 14.3 tok/s.',
    );
    expect(sentenceOf(report, 'peak_itl')).toBe(
      'In a closed loop the gap between tokens is 5.8 ms (Chatbot, single request) at best: fluid, at 20 ms or less. ' +
        'At worst it is 75.8 ms (Tool-calling agent, 32 concurrent): sluggish, above 70 ms.',
    );
    // 70.6 / 172.5 = 0.4093, 13.2 / 165 = 0.08
    expect(sentenceOf(report, 'peak_scaling')).toMatch(
      /^Of the single-user speed, each user keeps 41 % \(Chatbot, 32 concurrent\) down to 8 % \(Tool-calling agent, 32 concurrent\), by decode speed/,
    );
    expect(sentenceOf(report, 'peak_scaling')).toMatch(/Longer prompts keep less\.$/);
    expect(sentenceOf(report, 'peak_range')).toBe(
      'Per-user speed is between 13.2 tok/s (Tool-calling agent, 32 concurrent) and 70.6 tok/s (Chatbot): ' +
        'more than 1.5 times apart, so the workload matters.',
    );
    expect(sentenceOf(report, 'peak_ttft')).toMatch(
      /after 211 ms \(Chatbot, single request\) at best: within the limit of 3\.0 s\. At worst it is 6\.18 s \(Tool-calling agent, 32 concurrent\): over the limit of 3\.0 s\./,
    );
  });

  test('describes bursts', () => {
    expect(sentenceOf(report, 'burst_ttft')).toMatch(
      /after 189 ms \(Chatbot, burst of 1\) .* 8\.25 s \(Chatbot, burst of 256\): over/,
    );
    expect(sentenceOf(report, 'burst_itl')).toMatch(
      /5\.8 ms \(Chatbot, burst of 1\) at best.* 38\.9 ms \(RAG \/ QA, burst of 128\): noticeable, above 20 ms and up to 70 ms/,
    );
    expect(findingOf(report, 'burst_itl')?.severity).toBe('notice');
    expect(sentenceOf(report, 'burst_speed')).toMatch(
      /172\.4 tok\/s \(Chatbot, .* 25\.7 tok\/s \(RAG \/ QA, burst of 128\)/,
    );
  });

  test('estimates safe queues of 131, 84, 19 and 8 requests between the measured depths', () => {
    expect(report.burst?.maxSafeQueue.map(({ scenario, answer, bound }) => [scenario.id, answer, bound])).toEqual([
      ['chatbot', 131, 'estimate'],
      ['rag', 84, 'estimate'],
      ['agentic', 19, 'estimate'],
      ['tool-calling', 8, 'estimate'],
    ]);
    expect(sentenceOf(report, 'burst_max_safe_queue_chatbot')).toBe(
      'Chatbot: about 131 requests may arrive at once before the mean wait for the first token exceeds 3.0 s, ' +
        'interpolated between 2.85 s (burst of 128) and 8.25 s (burst of 256).',
    );
  });

  // 256 x 256 / (8.25 + 255 x 256 / 9774) = 4389.9: the output rate is below the decode rate.
  test('distinguishes decode throughput from output throughput', () => {
    expect(sentenceOf(report, 'max_decode_throughput')).toMatch(
      /9,774 tok\/s \(Chatbot, burst of 256\) at best, excluding prompts and queues\. With a first token after 8\.25 s on average, the whole run can reach at most 4,390 tok\/s\./,
    );
  });

  test('has a series for each scenario, without values for unmeasured levels', () => {
    expect(report.peak?.levels).toEqual([1, 2, 4, 8, 16, 32]);
    expect(report.burst?.levels).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256]);
    expect(report.burst?.userTokS.map(({ values }) => values.length)).toEqual([9, 8, 6, 5]);
    const scaling = report.peak?.scalingEfficiency.map(({ values }) => values.map(({ load }) => load.level));
    expect(scaling).toEqual(Array.from({ length: 4 }, () => [2, 4, 8, 16, 32]));
    expect(report.peak?.itlMs[0]?.values[1]).toMatchObject({ definition: 'from_user_tok_s', derived: true });
    expect(report.unmeasured.map(({ section }) => section)).toEqual(['batch']);
  });

  test('has the range across scenarios at each level', () => {
    const at32 = report.ranges.find(({ metric, load }) => metric === 'user_tok_s' && load.level === 32);
    expect(at32).toMatchObject({ scenarios: 4, low: { value: 13.2 }, high: { value: 70.6 } });
    const deepest = report.ranges.findLast(({ metric }) => metric === 'ttft_ms_mean');
    expect(deepest).toMatchObject({ scenarios: 1, load: { level: 256 }, low: { value: 8250 }, high: { value: 8250 } });
  });

  test('does not depend on the order of the points', () => {
    expect(reportOf([...gridPoints].reverse())).toEqual(report);
  });
});

// The TTFT at 128 for an answer of 131, both ends: 128 + (3 - t) x 128 / (8.25 - t) is in [131, 132).
test.each([
  [2.8305, 132],
  [2.8307, 131],
  [2.874, 131],
  [2.8741, 130],
])('estimates for a TTFT of %f s at 128 and 8.25 s at 256 a safe queue of %i', (ttftS, answer) => {
  const points = [
    pointOf('chatbot', ['burst', 128], { ttft_ms_mean: ttftS * 1000 }),
    pointOf('chatbot', ['burst', 256], { ttft_ms_mean: 8250 }),
  ];
  expect(reportOf(points).burst?.maxSafeQueue[0]?.answer).toBe(answer);
});

describe('metrics that were not measured', () => {
  test('are null with a reason, and no sentence uses them', () => {
    const report = reportOf([pointOf('sharegpt', ['rate', 50], { ttft_ms_mean: 300, output_tok_s: 2000 })]);
    expect([report.peak, report.burst, report.batch]).toEqual([null, null, null]);
    expect(report.unmeasured.map(({ reason }) => reason)).toEqual([
      'No closed loop of 1 to 32 requests in flight was measured. There are open loops.',
      'No burst of 1 to 256 requests was measured. There are open loops.',
      'No static batch was measured. There are open loops.',
    ]);
    expect(report.leftOut.rate).toBe(1);
    expect(idsOf(report)).toEqual(['max_output_throughput', 'best_ttft']);
    expect(reportOf([])).toMatchObject({ findings: [], ranges: [], headline: { bestTtft: null } });
  });

  test('include the scaling without a single user, and the sentence reports it', () => {
    const report = reportOf([pointOf('rag', ['concurrency', 32], { user_tok_s: 40 })]);
    expect(report.peak?.scalingEfficiency).toEqual([]);
    expect(sentenceOf(report, 'peak_scaling_unknown')).toMatch(/for RAG \/ QA, so its scaling is unknown\.$/);
    expect(report.headline.peakDecodeSpeed).toBeNull();
  });

  test('include levels beyond a section, which are counted', () => {
    const report = reportOf([
      pointOf('chatbot', ['concurrency', 32], { user_tok_s: 70 }),
      pointOf('chatbot', ['concurrency', 33], { user_tok_s: 60 }),
      pointOf('chatbot', ['burst', 257], { ttft_ms_mean: 9000 }),
    ]);
    expect(report.peak?.levels).toEqual([32]);
    expect([report.burst, report.leftOut.beyondLevels]).toEqual([null, 2]);
    expect(report.unmeasured[0]?.reason).toBe(
      'No burst of 1 to 256 requests was measured. There are closed loops of 32 to 33, bursts of 257.',
    );
  });

  test('include values of another formula, which are counted', () => {
    const fromSchedule = statistic('ttft_ms_mean', 10, { definition: 'schedule_to_first_token' });
    const report = reportOf([
      pointOf('chatbot', ['concurrency', 1], { ttft_ms_mean: 211 }),
      pointOf('chatbot', ['concurrency', 2], { ttft_ms_mean: fromSchedule }),
    ]);
    expect(report.headline.bestTtft?.value).toBe(211);
    expect(report.peak?.ttftMs[0]?.values).toHaveLength(1);
    expect(report.leftOut.otherDefinition).toBe(1);
  });
});

describe('throughput', () => {
  test('is reported separately for output and decode', () => {
    const report = reportOf([pointOf('chatbot', ['concurrency', 8], { output_tok_s: 500, user_tok_s: 90 })]);
    expect(report.headline.maxOutputThroughput).toMatchObject({ metric: 'output_tok_s', value: 500, derived: false });
    expect(report.headline.maxDecodeThroughput).toMatchObject({ metric: 'decode_tok_s', value: 720, derived: true });
  });

  // 1840 / (64 x 62) = 0.4637
  test('scaling uses output if both loads state it, and names the basis', () => {
    const at = (level: number, output_tok_s: number) =>
      pointOf('chatbot', ['batch', level], { output_tok_s, user_tok_s: 50 });
    const [series] = reportOf([at(1, 62), at(64, 1840)]).batch?.scalingEfficiency ?? [];
    expect(series?.values).toMatchObject([{ definition: 'output_basis', load: { level: 64 } }]);
    expect(series?.values[0]?.value).toBeCloseTo(0.4637, 4);
  });

  test('of static batches has a separate section', () => {
    const report = reportOf([
      pointOf('decode-bound', ['batch', 1], { decode_tok_s: 190 }),
      pointOf('base', ['batch', 32], { decode_tok_s: 4000 }),
    ]);
    expect(report.peak).toBeNull();
    expect(report.headline.peakDecodeSpeed).toBeNull();
    expect(report.batch?.levels).toEqual([1, 32]);
    expect(idsOf(report)).toEqual(['max_decode_throughput', 'batch_single', 'batch_decode']);
    expect(sentenceOf(report, 'batch_single')).toMatch(/190 tok\/s \(Decode bound, batch 1\): excellent/);
  });
});

test('keeps workloads with the same name apart', () => {
  const one = (inputTokens: number) => scenarioOf('unspecified', { title: `${inputTokens} in`, inputTokens });
  const report = reportOf([1000, 2000].map((tokens) => pointOf(one(tokens), ['burst', 4], { ttft_ms_mean: tokens })));
  expect(report.burst?.maxSafeQueue).toHaveLength(2);
  expect(idsOf(report).filter((id) => id.startsWith('burst_max'))).toEqual([
    'burst_max_safe_queue_unspecified',
    'burst_max_safe_queue_unspecified_2',
  ]);
});

test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('rejects a limit of %f s', (limitS) => {
  expect(() => reportOf([], limitS)).toThrow(RangeError);
});

describe('the upper bound on output throughput', () => {
  const bound = (ttft: number | ReturnType<typeof statistic>, metrics = {}) =>
    sentenceOf(
      reportOf([pointOf('chatbot', ['burst', 256], { decode_tok_s: 9774, ttft_ms_mean: ttft, ...metrics })]),
      'max_decode_throughput',
    );

  test('requires a TTFT from sending, and no measured output throughput', () => {
    expect(bound(8250)).toMatch(/at most 4,390 tok\/s/);
    expect(bound(statistic('ttft_ms_mean', 8250, { definition: 'last_of_batch' }))).not.toMatch(/at most/);
    expect(bound(8250, { output_tok_s: 4000 })).not.toMatch(/at most/);
  });
});
