import { expect, test } from 'vitest';
import type { RequestRecord } from '../measure/records/load-record.ts';
import { CalibrationError } from '../prompts/calibration-error.ts';
import { PromptRefusedError, refusalOf, refusalOfError, refusalOfRecord } from './refusal.ts';

// The words of servers when a request does not fit.
test.each([
  [400, 'the request exceeds the available context size. try increasing the context size or enable context shift'],
  [400, 'request (4112 tokens) exceeds the available context size (2048 tokens), try increasing it'],
  [500, 'Context size has been exceeded.'],
  [400, "This model's maximum context length is 2048 tokens. However, you requested 4352 tokens."],
  [400, 'The decoder prompt (length 4097) is longer than the maximum model length of 2048.'],
  [400, "The input (4097 tokens) is longer than the model's context length (2048 tokens)."],
  [422, 'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 2048. Given: 4096 and 256'],
  [413, 'Input validation error: `inputs` must have less than 512 tokens. Given: 4096'],
  [413, ''],
  [
    400,
    'Trying to keep the first 4097 tokens when context the overflows. However, the model is loaded with context length of only 2048 tokens, which is not enough; the prompt is too long',
  ],
])('status %i with "%s" means that a request is too long', (status, message) => {
  expect(refusalOf(status, message)).toMatchObject({ status });
});

test.each([
  [401, 'maximum context length: log in first'],
  [404, 'The model does not exist.'],
  [429, 'Request too large: limit 30000 tokens per minute'],
  [400, 'Unsupported parameter: max_tokens'],
  [400, 'ignore_eos is not permitted'],
  [500, 'CUDA out of memory'],
  [502, 'request exceeded the timeout: context deadline exceeded'],
  [504, 'upstream request timeout exceeded'],
])('status %i with "%s" is another failure', (status, message) => {
  expect(refusalOf(status, message)).toBeNull();
});

const request = (outcome: RequestRecord['outcome'], status: number | null, outcome_detail: string | null) =>
  ({ outcome, status, outcome_detail }) as RequestRecord;
const tooLong = request('http_4xx', 400, 'status 400: the request exceeds the available context size.');

test('a point is refused only if every request that ended was', () => {
  const refusal = { status: 400, reason: 'The server returned 400: "the request exceeds the available context size"' };
  expect(refusalOfRecord({ requests: [tooLong, request('cancelled', null, null)] })).toEqual(refusal);
  expect(refusalOfRecord({ requests: [tooLong, request('ok', 200, null)] })).toBeNull();
  expect(refusalOfRecord({ requests: [request('disconnected', null, 'ECONNREFUSED'), tooLong] })).toBeNull();
  expect(refusalOfRecord({ requests: [request('dropped', null, null)] })).toBeNull();
  const inStream = request('error_event', 200, 'Context size has been exceeded.');
  expect(refusalOfRecord({ requests: [inStream] })).toEqual({
    status: null,
    reason: 'The server ended the responses with an error: "Context size has been exceeded"',
  });
});

test('a prompt that the server refuses or truncates is refused', () => {
  const refusal = { status: 400, reason: 'The server returned 400: "too long"' };
  expect(refusalOfError(new PromptRefusedError(refusal))).toEqual(refusal);
  const cut = 'the server truncates prompts of 4096 tokens: they cannot be measured';
  expect(refusalOfError(new CalibrationError('prompt_cut', cut))).toEqual({
    status: null,
    reason: 'The server truncates prompts of 4096 tokens: they cannot be measured',
  });
  expect(refusalOfError(new CalibrationError('count_invalid', 'no count'))).toBeNull();
  expect(refusalOfError(new Error('connection refused'))).toBeNull();
});
