import { describe, expect, test } from 'vitest';
import { makeSystem } from '../testing/result.ts';
import { readSubmission } from './read-submission.ts';
import { applyMapping, resolveTarget, reviewedFinding, unknownName } from './review.ts';

describe('the target of a mapping', () => {
  test.each<[Parameters<typeof resolveTarget>[0], string, string]>([
    ['gpu', 'NVIDIA H100 SXM5', 'h100-sxm'],
    ['gpu', 'h100', 'h100'],
    ['model', 'meta-llama/Llama-3.1-8B-Instruct', 'llama-3.1-8b'],
    ['quantization', 'FP8', 'fp8'],
    ['quantization', 'w8a8_smooth_gptq', 'w8a8_smooth_gptq'],
  ])('%s "%s" is resolved to %s', (fact, text, to) => expect(resolveTarget(fact, text)).toEqual({ to }));

  test.each<[Parameters<typeof resolveTarget>[0], string, string, RegExp]>([
    ['gpu', 'Frobnicator 9000', 'value_unknown', /\/v1\/catalogue\/gpus/],
    ['gpu', 'H10O SXM', 'value_unknown', /^Did you mean .*h100/],
    ['gpu', '8xH100 SXM', 'value_invalid', /^Write "h100-sxm"/],
    ['gpu', 'unspecified', 'value_unknown', /./],
    ['model', 'llama-3.1', 'value_unknown', /llama-3\.1-8b/],
    ['model', 'llama-3.1-8b-q4_k_m', 'value_invalid', /^Write "llama-3.1-8b"/],
    // The format depends on a model that is not stated.
    ['quantization', 'original', 'value_unknown', /\/v1\/catalogue\/quantizations/],
  ])('%s "%s" is rejected', (fact, text, code, hint) =>
    expect(resolveTarget(fact, text)).toEqual({
      fault: { code, pointer: `/${fact}`, message: expect.stringContaining(text), hint: expect.stringMatching(hint) },
    }),
  );
});

describe('an unknown name', () => {
  test('has neither an entry nor a family, and is not a placeholder', () => {
    const nameOf = (gpu: string) => unknownName(makeSystem({ gpu }).gpu);
    expect(nameOf('Frobnicator 9000')).toBe('Frobnicator 9000');
    expect(['h100-sxm', 'H100', 'unspecified', 'n/a'].map(nameOf)).toEqual([null, null, null, null]);
    expect(unknownName({ id: null, name: 'fp7' })).toBe('fp7');
  });
});

describe('a mapping', () => {
  const unknown = makeSystem({ gpu: 'Frobnicator 9000', model: 'acme/mystery', quantization: 'original' });

  test('resolves the name to an entry, and keeps its spelling', () => {
    const mapped = applyMapping(unknown, {
      gpu: { from: 'Frobnicator 9000', to: 'h100' },
      model: { from: 'acme/mystery', to: 'llama-3.1-8b' },
    });
    expect(mapped).toEqual({
      ...unknown,
      gpu: { id: null, family: 'h100', name: 'Frobnicator 9000' },
      model: { id: 'llama-3.1-8b', family: 'llama-3.1', name: 'acme/mystery' },
      quantization: { id: 'bf16', name: 'original', recipe: [] },
    });
  });

  test('applies to that name only, in any capitalization', () => {
    const to = { to: 'h100-sxm' };
    expect(applyMapping(unknown, { gpu: { from: 'frobnicator  9000', ...to } }).gpu.id).toBe('h100-sxm');
    expect(applyMapping(unknown, { gpu: { from: 'Frobnicator 9001', ...to } })).toEqual(unknown);
  });

  test('may contain a quantization with a recipe', () => {
    const system = makeSystem({ quantization: 'house mix' });
    const mapping = { quantization: { from: 'house mix', to: 'w8a8_smooth_gptq' } };
    expect(applyMapping(system, mapping).quantization).toEqual({
      id: 'w8a8-int8',
      name: 'house mix',
      recipe: ['smooth', 'gptq'],
    });
  });

  test('is used to check a result', () => {
    const report = {
      schema: 'inferboard/v1',
      system: { model: 'llama-3.1-8b', quantization: 'fp8', gpu: 'Frobnicator 9000', gpu_count: 1 },
      scenario: 'chatbot',
      results: [8, 16].map((level) => ({ load: { mode: 'concurrency', level }, metrics: { output_tok_s: 100 } })),
    };
    const bytes = new TextEncoder().encode(JSON.stringify(report));
    const { results } = readSubmission(
      bytes,
      {},
      {
        amend: (system, ordinal) =>
          ordinal === 1 ? applyMapping(system, { gpu: { from: 'Frobnicator 9000', to: 'h100-sxm' } }) : system,
      },
    );
    expect(results.map(({ status }) => status)).toEqual(['quarantined', 'accepted']);
    expect(results[1]?.passed).toContain('F1');
  });
});

describe('the finding of a review', () => {
  test('is one sentence with the note', () => {
    const review = { id: 'rev_1', note: ' Two\nlines. ' };
    expect(reviewedFinding({ ...review, decision: 'clear', mapping: null })).toEqual({
      code: 'reviewed',
      severity: 'info',
      message: 'An admin reviewed this result and cleared it as it is: Two lines.',
      evidence: { review: 'rev_1', decision: 'clear' },
    });
    const mapping = { gpu: { from: 'A', to: 'h100-sxm' }, model: { from: 'B', to: 'llama-3.1-8b' } };
    expect(reviewedFinding({ ...review, decision: 'map', mapping }).message).toBe(
      'An admin reviewed this result and mapped the GPU "A" to h100-sxm and the model "B" to llama-3.1-8b: Two lines.',
    );
  });
});
