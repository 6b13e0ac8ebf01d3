import type { Check } from '../checks/check.ts';
import { doubtsOf, makeResult, type ResultWords, type SystemWords } from './result.ts';

/** A test's facts of a result. By default, the system is Llama 3.1 8B in bf16 on an H100 SXM. */
export type GradedWords = Omit<ResultWords, 'system'> & { system?: SystemWords };

const small = { model: 'llama-3.1-8b', quantization: 'bf16', gpu: 'h100-sxm' };

export const serving = ({ system, ...rest }: GradedWords) => makeResult({ system: { ...small, ...system }, ...rest });

/** The outcome of a check in one or two words: "pass", "near_roofline info". */
export function gradeOf(check: Check, words: GradedWords): string {
  const answer = check.check({ result: serving(words), repetitions: [], single: null });
  return typeof answer === 'string'
    ? answer
    : answer.map(({ code, severity }) => `${code ?? ''} ${severity}`.trim()).join();
}

/** The inputs that a check reports as missing. */
export const missingOf = (check: Check, words: GradedWords) => doubtsOf(check, serving(words))[0]?.evidence.missing;
