import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { DomainError } from '../errors.ts';
import { findFamily, findMetric } from '../metrics/index.ts';
import { bytesOf, llamaBench, native, sglang } from '../testing/artifacts.ts';
import { parameterShape } from './parameters.ts';
import { readSubmission } from './read-submission.ts';

describe('any parameters with any artifact', () => {
  const artifacts = [
    bytesOf(native()),
    bytesOf(native({ system: {} })),
    bytesOf(native({ scenario: { input_tokens: 77, output_tokens: 5, dataset: 'sharegpt' } })),
    bytesOf(sglang(), sglang({ batch_size: 8, latency: 0.9 })),
    bytesOf(llamaBench),
    bytesOf(native(), '', llamaBench),
    bytesOf('no benchmark at all'),
  ];
  const schema = z.strictObject(parameterShape);
  const names = fc.oneof(
    fc.constantFrom('unspecified', 'n/a', 'H100', '8xH100', 'h100-sxm', 'rtx pro 6000', 'llama-3.1-8b', 'llama3.1'),
    fc.constantFrom(
      'fp8',
      'w8a8_smooth_gptq',
      'original',
      'chatbot',
      'decode-bound',
      'tg128',
      'pp512@d4096',
      'sharegpt',
    ),
    fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme' }),
  );
  const counts = fc.integer({ min: 0, max: 100_000 }).map(String);
  const given = fc.record(
    {
      model: names,
      quantization: names,
      gpu: names,
      gpu_count: counts,
      gpu_power_limit_w: counts,
      engine: names,
      engine_version: names,
      tensor_parallel: counts,
      scenario: names,
      input_tokens: counts,
      output_tokens: counts,
      dataset: names,
      tool: fc.oneof(names, fc.constantFrom('native', 'llama-bench')),
      notes: names,
      measured_at: fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-01T00:00:00+02:00'),
    },
    { requiredKeys: [] },
  );

  test('are read, or rejected with a reason', () => {
    fc.assert(
      fc.property(fc.constantFrom(...artifacts), given, (bytes, texts) => {
        const parameters = schema.safeParse(texts);
        fc.pre(parameters.success);
        try {
          for (const { metrics, derived, definitions, findings, status } of readSubmission(bytes, parameters.data)
            .results) {
            expect(['accepted', 'quarantined']).toContain(status);
            for (const value of Object.values({ ...metrics, ...derived })) expect(Number.isFinite(value)).toBe(true);
            for (const name of Object.keys(derived)) expect(metrics).not.toHaveProperty(name);
            for (const base of Object.keys(definitions)) expect(findFamily(base)).not.toBeNull();
            for (const name of Object.keys({ ...metrics, ...derived })) expect(findMetric(name)?.name).toBe(name);
            expect(JSON.parse(JSON.stringify(findings))).toEqual(findings);
          }
        } catch (error) {
          if (!(error instanceof DomainError)) throw error;
          expect(error.message).not.toBe('');
          if (error.code !== 'body_empty') expect(error.faults.length).toBeGreaterThan(0);
          expect(error.faults.length).toBeLessThanOrEqual(120);
        }
      }),
      { numRuns: 400 },
    );
  });
});
