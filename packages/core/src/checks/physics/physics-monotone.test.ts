import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type GradedWords, gradeOf } from '../../testing/graded.ts';
import type { Check } from '../check.ts';
import { p2UserSpeed } from './p2-user-speed.ts';
import { p3SystemSpeed } from './p3-system-speed.ts';

describe('never gets stricter with more hardware, or less strict with a larger claim', () => {
  const grades = ['pass', 'near_roofline info', 'at_roofline warning', 'above_roofline violation'];
  const gradeNumber = (check: Check, words: GradedWords) => grades.indexOf(gradeOf(check, words));
  const facts = fc.record({
    speed: fc.double({ min: 1, max: 1e5, noNaN: true }),
    level: fc.integer({ min: 1, max: 512 }),
    inputTokens: fc.integer({ min: 0, max: 32768 }),
    gpuCount: fc.integer({ min: 1, max: 16 }),
    draft: fc.integer({ min: 0, max: 8 }),
  });
  type Facts = Parameters<Parameters<typeof facts.map>[0]>[0];
  const wordsOf = ({ speed, level, inputTokens, gpuCount, draft }: Facts, gpu: string): GradedWords => ({
    scenario: { inputTokens },
    load: { mode: 'concurrency', level },
    metrics: { user_tok_s: speed, decode_tok_s: speed * level },
    system: { gpu, gpuCount, features: draft === 0 ? {} : { draft_tokens: draft } },
  });

  test.each([
    ['P2', p2UserSpeed],
    ['P3', p3SystemSpeed],
  ])('%s', (_, check) => {
    fc.assert(
      fc.property(
        facts,
        fc.double({ min: 1, max: 10, noNaN: true }),
        fc.integer({ min: 1, max: 8 }),
        (it, factor, more) => {
          const grade = gradeNumber(check, wordsOf(it, 'h100-sxm'));
          expect(grade).toBeGreaterThanOrEqual(0);
          expect(gradeNumber(check, wordsOf({ ...it, speed: it.speed * factor }, 'h100-sxm'))).toBeGreaterThanOrEqual(
            grade,
          );
          expect(gradeNumber(check, wordsOf({ ...it, gpuCount: it.gpuCount + more }, 'h100-sxm'))).toBeLessThanOrEqual(
            grade,
          );
          expect(gradeNumber(check, wordsOf({ ...it, draft: it.draft + more }, 'h100-sxm'))).toBeLessThanOrEqual(grade);
          expect(gradeNumber(check, wordsOf(it, 'h200-sxm'))).toBeLessThanOrEqual(grade);
        },
      ),
    );
  });
});
