import { judge, statusOf } from '../../packages/core/src/checks/index.ts';
import { deriveMetrics } from '../../packages/core/src/derive/index.ts';
import type { CheckedResult, Result } from '../../packages/core/src/subjects/result.ts';

type Judgement = ReturnType<typeof judge>;

/** How many results were checked individually, and how many of those had another outcome than their representative. */
export interface Sample {
  seen: number;
  judged: number;
  differing: number;
}

const sampleEvery = 400;

const summary = ({ findings, passed }: Judgement) =>
  JSON.stringify([findings.map(({ code, severity }) => [code, severity]), passed]);

/**
 * Checks the results of one sweep of one upload. The checks take longer than all other work on a result, and the results of a
 * sweep mostly have the same outcome, so the first one with a single user and the first with several represent the rest. Some are
 * checked individually to measure the error.
 */
export class SweepJudge {
  readonly #sample: Sample;
  #single: Result | null = null;
  readonly #known = new Map<boolean, Judgement>();

  constructor(sample: Sample) {
    this.#sample = sample;
  }

  /** A result as the API parses it. `isOdd`: it is an outlier. */
  check(result: Result, isOdd: boolean): CheckedResult {
    const isSingle = result.load.level === 1;
    if (isSingle) this.#single ??= result;
    const subject = { result, repetitions: [result], single: this.#single };
    const known = isOdd ? undefined : this.#known.get(isSingle);
    const judgement = known ?? judge(subject);
    // A finding is about the figures of one result, so a result with findings represents no other.
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
