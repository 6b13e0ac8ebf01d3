import { expect, test } from 'vitest';
import { DomainError } from '../errors.ts';
import { readSubmission } from '../submission/read-submission.ts';

const read = (result: object) => {
  const report = {
    schema: 'inferboard/v1',
    system: { model: 'llama-3.1-8b', quantization: 'fp8', gpu: 'h100-sxm' },
    scenario: 'chatbot',
    results: [{ load: { mode: 'concurrency', level: 8 }, metrics: { output_tok_s: 400 }, ...result }],
  };
  const [first] = readSubmission(new TextEncoder().encode(JSON.stringify(report)), {}).results;
  return first ?? expect.fail('no result');
};

test('gives a result that declares a simulation the status simulated, with a finding', () => {
  const { status, findings, passed } = read({ simulated: true });
  expect(status).toBe('simulated');
  expect(findings).toContainEqual({
    code: 'simulated',
    severity: 'info',
    message: expect.stringContaining('never ranks'),
    evidence: { check: 'F4' },
  });
  expect(passed).not.toContain('F4');
  // It is not queued for a review either, which could approve it.
  const impossible = read({ simulated: true, metrics: { output_tok_s: 1e9 } });
  expect(impossible.findings.some(({ severity }) => severity === 'violation')).toBe(true);
  expect(impossible.status).toBe('simulated');
});

test.each([{}, { simulated: false }, { simulated: null }])('accepts %j as a measurement', (result) => {
  const { status, findings, passed } = read(result);
  expect([status, findings.map(({ code }) => code).includes('simulated')]).toEqual(['accepted', false]);
  expect(passed).not.toContain('F4');
});

test('rejects a declaration that is not a boolean', () => {
  expect(() => read({ simulated: 'no' })).toThrow(DomainError);
});
