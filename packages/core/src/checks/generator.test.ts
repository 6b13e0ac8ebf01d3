import { expect, test } from 'vitest';
import { readSubmission } from '../submission/read-submission.ts';
import { answerOf, makeResult } from '../testing/result.ts';
import { r8GeneratorLimited } from './records/r8-generator-limited.ts';
import { r9CutShort } from './records/r9-cut-short.ts';

const findingsOf = (generator: unknown, wanted = 'generator_limited') => {
  const report = {
    schema: 'inferboard/v1',
    system: { model: 'llama-3.1-8b', quantization: 'fp8', gpu: 'h100-sxm' },
    scenario: 'chatbot',
    results: [{ load: { mode: 'rate', level: 2 }, metrics: { output_tok_s: 400 }, generator }],
  };
  const { results } = readSubmission(new TextEncoder().encode(JSON.stringify(report)), {});
  return (results[0]?.findings ?? []).filter(({ code }) => code === wanted);
};

test('R8 warns about problems that the load generator reports, and needs a report', () => {
  expect(findingsOf(null)).toEqual([]);
  expect(findingsOf({})).toEqual([]);
  expect(findingsOf({ late_ms_p99: 5, dropped: 0, limited: [] })).toEqual([]);
  expect(findingsOf({ late_ms_p99: 5.1 })).toMatchObject([{ severity: 'warning', evidence: { late_ms_p99: 5.1 } }]);
  expect(findingsOf({ dropped: 3 })).toMatchObject([
    { severity: 'warning', message: expect.stringContaining('3 requests were due'), evidence: { dropped: 3 } },
  ]);
  expect(findingsOf({ limited: ['one', 'two'] })).toMatchObject([{ message: expect.stringContaining('one; two') }]);
});

test.each([
  ['time_limit', 'info', 'The time limit ended'],
  ['failures', 'warning', 'Consecutive failed requests ended'],
  ['canceled', 'warning', 'The measurement was canceled'],
  ['stopped', 'warning', 'The process that measured it was stopped'],
])('R9 reports that a measurement was ended early by %s', (reason, severity, words) => {
  const cut_short = { reason, planned_requests: 64 };
  expect(findingsOf({ cut_short }, 'cut_short')).toMatchObject([
    { severity, message: expect.stringContaining(words), evidence: { requests_planned: 64 } },
  ]);
  expect(findingsOf({ cut_short: null }, 'cut_short')).toEqual([]);
});

test('retries and notes of the load generator are remarks on the result', () => {
  const notes = ['the server rejects temperature: it is omitted', 'the server does not count tokens.'];
  expect(findingsOf({ retried: 0, notes: [] }, 'requests_retried')).toEqual([]);
  expect(findingsOf({ retried: 3 }, 'requests_retried')).toMatchObject([
    { severity: 'info', message: expect.stringContaining('connection: 3.'), evidence: { retried: 3 } },
  ]);
  expect(findingsOf({ notes }, 'generator_note').map(({ severity, message }) => [severity, message])).toEqual([
    ['info', 'Note of the load generator: the server rejects temperature: it is omitted.'],
    ['info', 'Note of the load generator: the server does not count tokens.'],
  ]);
});

test.each([r8GeneratorLimited, r9CutShort])('$id does not apply without a report', (check) => {
  expect(answerOf(check, makeResult({ metrics: { output_tok_s: 400 } }))).toBe('not_applicable');
});

test.each([
  { cut_short: { reason: 'boredom', planned_requests: 1 } },
  { late_ms_p99: -1 },
  { dropped: 1.5 },
  { limited: 'yes' },
  { speed: 1 },
  { retried: 0.5 },
  { notes: ['\u001b[31mred'] },
  { notes: ['a'.repeat(501)] },
  { notes: new Array(21).fill('a') },
])('rejects %j', (generator) => {
  expect(() => findingsOf(generator)).toThrow();
});
