import { describe, expect, test } from 'vitest';
import type { Result } from '../../subjects/result.ts';
import { answerOf, doubtsOf, makeResult, type ResultWords, type SystemWords } from '../../testing/result.ts';
import { p6Power } from './p6-power.ts';
import { p7Scaling } from './p7-scaling.ts';

describe('P6, power', () => {
  /** GPUs with a rated power of 700 W each. */
  const drawn = (power_w: number, system: SystemWords = {}, rest: ResultWords = {}) =>
    makeResult({ ...rest, system: { gpu: 'h100-sxm', ...system }, metrics: { power_w } });
  const severities = (result: Result) => doubtsOf(p6Power, result).map(({ severity }) => severity);

  // 115 % of 700 W is 805 W, 5 % is 35 W.
  test.each([
    [804.9, 1, []],
    [805.1, 1, ['warning']],
    [35.1, 1, []],
    [34.9, 1, ['warning']],
    [0, 1, ['warning']],
    [6439, 8, []],
    [6441, 8, ['warning']],
    [279, 8, ['warning']],
  ])('for %d W of %d boards: %j', (watts, gpuCount, expected) => {
    expect(severities(drawn(watts, { gpuCount }))).toEqual(expected);
  });

  test.each<[number, SystemWords, string]>([
    [900, {}, '900 W drawn by one NVIDIA H100 SXM5 80GB is more than its rated power of 700 W.'],
    [12_000, { gpuCount: 8 }, '12000 W drawn by 8 x NVIDIA H100 SXM5 80GB is more than their rated power of 5600 W.'],
    [
      700,
      { gpuCount: 32 },
      '700 W drawn by 32 x NVIDIA H100 SXM5 80GB is only a small part of their rated power of 22400 W.',
    ],
    [
      600,
      { gpuPowerLimitW: 400 },
      '600 W drawn by one NVIDIA H100 SXM5 80GB is more than the power limit that was set, 400 W.',
    ],
  ])('reports %d W', (watts, system, message) => {
    expect(doubtsOf(p6Power, drawn(watts, system))[0]?.message).toBe(message);
  });

  // 115 % of 2 x 300 W is 690 W.
  test.each([
    [689, []],
    [691, ['warning']],
  ])('with a limit of 300 W each, for %d W of two: %j', (watts, expected) => {
    expect(severities(drawn(watts, { gpuCount: 2, gpuPowerLimitW: 300 }))).toEqual(expected);
  });

  test('includes the figures as evidence', () => {
    const [doubt] = doubtsOf(p6Power, drawn(1400));
    expect(doubt?.evidence).toEqual({ power_w: 1400, bound_w: 700, ratio: 2 });
  });

  // The SXM has the highest rated power of the H100 boards.
  test('uses the largest board of a family', () => {
    expect(severities(drawn(800, { gpu: 'H100' }))).toEqual([]);
    expect(severities(drawn(810, { gpu: 'H100' }))).toEqual(['warning']);
  });

  test.each<[string, SystemWords]>([
    ['no rated power', { gpu: 'a10g' }],
    ['an unknown GPU', { gpu: 'x' }],
    ['no number of GPUs', { gpuCount: null }],
  ])('is unchecked with %s', (_, system) => {
    expect(severities(drawn(1e6, system))).toEqual(['unchecked']);
  });

  test('does not apply without measured power, or to kernels and training', () => {
    expect(answerOf(p6Power, makeResult({ system: { gpu: 'h100-sxm' } }))).toBe('not_applicable');
    for (const kind of ['kernel', 'training'] as const)
      expect(answerOf(p6Power, drawn(1e6, {}, { kind }))).toBe('not_applicable');
  });
});

describe('P7, scaling', () => {
  const at = (level: number, words: ResultWords) => makeResult({ ...words, load: { mode: 'concurrency', level } });
  const beside = (many: ResultWords, one: ResultWords, level = 8) => {
    const result = at(level, many);
    return { result, repetitions: [result], single: at(1, one) };
  };
  const severities = (many: ResultWords, one: ResultWords) =>
    doubtsOf(p7Scaling, beside(many, one)).map(({ severity }) => severity);
  const output = (output_tok_s: number) => ({ metrics: { output_tok_s } });

  // Eight users at 100.00001 tok/s each give 800, plus 10 % is 880.
  test.each([
    [879.9999, []],
    [880.0101, ['warning']],
    [62.0001, []],
  ])('for %d tok/s of eight users and 100 of one: %j', (many, expected) => {
    expect(severities(output(many), output(100.000001))).toEqual(expected);
  });

  test('includes the rounding of figures', () => {
    // 9 may be 8.5 rounded and 1 may be 1.4999 rounded. Eight users that share 12 are plausible.
    expect(severities(output(9), output(1))).toEqual([]);
    expect(severities(output(9.0001), output(1.0001))).toEqual(['warning']);
    const tpot = (tpot_ms_mean: number) => ({ metrics: { tpot_ms_mean } });
    expect(severities(tpot(4), tpot(5))).toEqual([]);
    expect(severities(tpot(4.001), tpot(5.001))).toEqual(['warning']);
  });

  test('states both figures', () => {
    const [doubt] = doubtsOf(p7Scaling, beside(output(1000), output(100)));
    expect(doubt?.message).toBe(
      '8 users reach 1.25 times the speed of the same number of single users: 1000 tok/s compared with 100 tok/s for one.',
    );
    expect(doubt?.evidence).toEqual({ basis: 'output_tok_s', claimed: 1000, single: 100, level: 8, ratio: 1.25 });
  });

  test('compares throughput before the speed of a user', () => {
    const many = { metrics: { output_tok_s: 700.01, user_tok_s: 500 } };
    expect(severities(many, { metrics: { output_tok_s: 100.01, user_tok_s: 100 } })).toEqual([]);
    expect(severities(many, { metrics: { user_tok_s: 100 } })).toEqual(['warning']);
    expect(severities({ metrics: { decode_tok_s: 8 * 109 } }, { metrics: { decode_tok_s: 100 } })).toEqual([]);
    expect(severities({ metrics: { decode_tok_s: 8 * 111 } }, { metrics: { decode_tok_s: 100 } })).toEqual(['warning']);
  });

  test('is unchecked if the single user has no throughput', () => {
    expect(severities(output(9), output(0))).toEqual(['unchecked']);
    expect(severities(output(9), {})).toEqual(['unchecked']);
  });

  test.each<[string, ResultWords]>([
    ['a burst, which queues', { load: { mode: 'burst', level: 8 } }],
    ['a rate', { load: { mode: 'rate', level: 8 } }],
    ['a load not stated', { load: { mode: 'unspecified', level: null } }],
    ['the single user', { load: { mode: 'concurrency', level: 1 } }],
    ['training', { kind: 'training', load: { mode: 'batch', level: 8 } }],
  ])('does not apply to %s', (_, words) => {
    const result = makeResult({ ...output(1e6), ...words });
    expect(answerOf(p7Scaling, { result, repetitions: [result], single: at(1, output(1)) })).toBe('not_applicable');
  });

  test('does not apply without a single user', () => {
    expect(answerOf(p7Scaling, at(8, output(1e6)))).toBe('not_applicable');
  });

  test('applies to static batches', () => {
    const batch = (level: number, output_tok_s: number) =>
      makeResult({ load: { mode: 'batch', level }, metrics: { output_tok_s } });
    const result = batch(4, 900);
    expect(doubtsOf(p7Scaling, { result, repetitions: [result], single: batch(1, 100) })).toMatchObject([
      { severity: 'warning', evidence: { level: 4, ratio: 2.25 } },
    ]);
  });
});
