import { judge, statusOf } from '../../packages/core/src/checks/index.ts';
import { deriveMetrics } from '../../packages/core/src/derive/index.ts';
import type { CheckedResult, Result } from '../../packages/core/src/result.ts';

type Judgement = ReturnType<typeof judge>;

/** How many results were judged once more, and how many of them otherwise than those they were judged by. */
export interface Sample {
  seen: number;
  judged: number;
  differing: number;
}

const sampleEvery = 400;

const summary = ({ findings, passed }: Judgement) =>
  JSON.stringify([findings.map(({ code, severity }) => [code, severity]), passed]);

/**
 * Judges the results of one sweep of one upload. All checks together take longer than everything else about a result,
 * and those of a sweep mostly agree, so the first one of a single user and the first of several stand for the rest. Some
 * are judged by themselves to tell how often that is wrong.
 */
export class SweepJudge {
  readonly #sample: Sample;
  #single: Result | null = null;
  readonly #known = new Map<boolean, Judgement>();

  constructor(sample: Sample) {
    this.#sample = sample;
  }

  /** A result as the product's door would have it. `isOdd`: it is like no other. */
  check(result: Result, isOdd: boolean): CheckedResult {
    const isSingle = result.load.level === 1;
    if (isSingle) this.#single ??= result;
    const subject = { result, repetitions: [result], single: this.#single };
    const known = isOdd ? undefined : this.#known.get(isSingle);
    const judgement = known ?? judge(subject);
    // A doubt is about the figures of one result: whatever raises one stands for no other.
    if (!isOdd && judgement.findings.every(({ severity }) => severity === 'unchecked')) {
      this.#known.set(isSingle, judgement);
    }
    this.#sample.seen += 1;
    if (known !== undefined && this.#sample.seen % sampleEvery === 0) {
      this.#sample.judged += 1;
      if (summary(judge(subject)) !== summary(known)) this.#sample.differing += 1;
    }
    const { derived, definitions } = deriveMetrics(subject);
    return {
      ...result,
      definitions: { ...definitions, ...result.definitions },
      derived,
      findings: judgement.findings,
      passed: judgement.passed,
      trust: 'self_reported',
      status: statusOf(judgement.findings),
    };
  }
}
