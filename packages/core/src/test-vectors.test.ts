import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Answer } from './checks/check.ts';
import { checks } from './checks/index.ts';
import { deriveMetrics } from './derive/index.ts';
import { alone, type Subject } from './subjects/subject.ts';
import { readSubmission } from './submission/read-submission.ts';
import { makeResult, type ResultWords } from './testing/result.ts';
import { calls } from './testing/vector-calls.ts';

/** The vectors are in one file, so that other implementations can use them too. */
interface Vector {
  id: string;
  about: string;
  cases: VectorCase[];
}

type VectorCase =
  /** Outcomes of checks for a result: `pass`, `not_applicable` or the highest severity; `a|b`: either. */
  | { judge: ResultWords; answers: Record<string, string>; evidence?: Record<string, Record<string, number>> }
  /** Figures derived for a result with its single-user neighbor. */
  | { derive: ResultWords; beside?: ResultWords; gives: Record<string, number> }
  /** Return value of a function of core; see `testing/vector-calls.ts`. */
  | { call: string; with: unknown[]; gives: unknown }
  /** One result of a native file, with its rejection or its parsed metrics. */
  | { submit: string; refused: string }
  | { submit: string; gives: Record<string, number> };

const file = new URL('../fixtures/test-vectors/vectors.json', import.meta.url);
const { vectors }: { vectors: Vector[] } = JSON.parse(readFileSync(file, 'utf8'));

/** Figures have about four digits. */
const tolerance = 1e-3;

function expectClose(found: unknown, expected: unknown, at: string): void {
  if (typeof expected === 'number') {
    expect(typeof found, at).toBe('number');
    const apart = Math.abs(Number(found) - expected);
    // A figure with few digits may be off by half a unit of the last digit.
    const [, decimals = ''] = String(expected).split('.');
    const rounding = decimals === '' ? 0 : 0.5 * 10 ** -decimals.length;
    expect(apart, `${at}: ${found} is not ${expected}`).toBeLessThanOrEqual(
      Math.max(tolerance * Math.abs(expected), rounding * 1.001),
    );
  } else if (Array.isArray(expected)) {
    expect(found, at).toHaveLength(expected.length);
    for (const [index, part] of expected.entries()) expectClose((found as unknown[])[index], part, `${at}[${index}]`);
  } else if (typeof expected === 'object' && expected !== null) {
    for (const [key, part] of Object.entries(expected))
      expectClose((found as Record<string, unknown> | null)?.[key], part, `${at}.${key}`);
  } else expect(found, at).toEqual(expected);
}

const grades = ['unchecked', 'info', 'warning', 'violation'];

function gradeOf(answer: Answer): string {
  if (typeof answer === 'string') return answer;
  return grades[Math.max(...answer.map(({ severity }) => grades.indexOf(severity)))] ?? 'no doubt in a list of doubts';
}

function answerOf(id: string, subject: Subject): Answer {
  const check = checks.find((candidate) => candidate.id === id);
  if (check === undefined) throw new Error(`there is no check ${id}`);
  return check.check(subject);
}

function run(vectorCase: VectorCase): void {
  if ('judge' in vectorCase) {
    const subject = alone(makeResult(vectorCase.judge));
    for (const [id, expected] of Object.entries(vectorCase.answers)) {
      const answer = answerOf(id, subject);
      expect(expected.split('|'), `${id}: ${JSON.stringify(answer)}`).toContain(gradeOf(answer));
      const evidence = vectorCase.evidence?.[id];
      if (evidence !== undefined) expectClose(typeof answer === 'string' ? {} : answer[0]?.evidence, evidence, id);
    }
  } else if ('derive' in vectorCase) {
    const result = makeResult(vectorCase.derive);
    const single = vectorCase.beside === undefined ? null : makeResult(vectorCase.beside);
    const { derived } = deriveMetrics({ result, repetitions: [result], single });
    expectClose(derived, vectorCase.gives, 'derived');
  } else if ('call' in vectorCase) {
    const call = calls[vectorCase.call];
    if (call === undefined) throw new Error(`there is no call ${vectorCase.call}`);
    expectClose(call(...vectorCase.with), vectorCase.gives, vectorCase.call);
  } else {
    const read = () => {
      const system = '"system": {"model": "llama-3.1-8b", "quantization": "bf16", "gpu": "h100-sxm"}';
      const load = '"load": {"mode": "concurrency", "level": 1}';
      const text = `{"schema": "inferboard/v1", ${system}, "results": [{${load}, ${vectorCase.submit}}]}`;
      return readSubmission(new TextEncoder().encode(text), {});
    };
    if ('refused' in vectorCase) {
      expect(read).toThrow(
        expect.objectContaining({ faults: [expect.objectContaining({ pointer: vectorCase.refused })] }),
      );
    } else expect(read().results[0]?.metrics).toEqual(vectorCase.gives);
  }
}

test('has vectors 1 to 34 and 40 to 45', () => {
  const numbers = [...Array.from({ length: 34 }, (_, i) => i + 1), 40, 41, 42, 43, 44, 45];
  expect(vectors.map(({ id }) => id)).toEqual(numbers.map((number) => `TV-${number}`));
});

describe.each(vectors)('$id $about', ({ cases }) => {
  test.each(cases.map((vectorCase, index) => ({ case: index + 1, vectorCase })))('case $case', ({ vectorCase }) =>
    run(vectorCase),
  );
});
