import { type MetricName, metrics as registry } from '../../metrics/index.ts';
import type { Result } from '../../subjects/result.ts';
import type { Answer, Check } from '../check.ts';

const repetitionsLeast = 3;
/** Units of timed values. Counts and requested values are equal in every repetition. */
const timed = new Set(['ms', 's', 'tok/s', 'req/s', 'TFLOP/s']);
const names: readonly MetricName[] = registry
  .filter(({ family }) => timed.has(family.unit) && !family.derived)
  .map(({ name }) => name);

const isSame = (one: Result, other: Result) => names.every((name) => one.metrics[name] === other.metrics[name]);

/** True if the list has at least three items and all equal the first. */
const repeats = <T>(list: readonly T[], same: (one: T, other: T) => boolean) =>
  list.length >= repetitionsLeast && list.every((entry) => list[0] !== undefined && same(list[0], entry));

const warning = (n: number): Answer => [
  {
    severity: 'warning',
    message: `${n} repetitions have equal figures in every digit. Independent measurements differ, so figures were copied or rounded.`,
    evidence: { repetitions: n },
  },
];

/** Results of a point share their list of repetitions, so each list is compared only once. */
const known = new WeakMap<readonly Result[], Answer>();

function compare(repetitions: readonly Result[]): Answer {
  const before = known.get(repetitions);
  if (before !== undefined) return before;
  // Check all repetitions: their order has no meaning.
  const hasFigures = repetitions.some(({ metrics }) => names.some((name) => metrics[name] !== undefined));
  const isCopied = hasFigures && repeats(repetitions, isSame);
  const answer = !hasFigures ? 'not_applicable' : isCopied ? warning(repetitions.length) : 'pass';
  known.set(repetitions, answer);
  return answer;
}

/** Compares the samples of repetitions that the submitter averaged. Not applicable if they have too few samples. */
function compareSamples(result: Result): Answer {
  const lists = Object.entries(result.repeats?.samples ?? {}).filter(([name]) => names.some((known) => known === name));
  const judged = lists.flatMap(([, list]) => (list.length >= repetitionsLeast ? [list] : []));
  const first = judged[0];
  if (first === undefined) return 'not_applicable';
  return judged.every((list) => repeats(list, Object.is)) ? warning(first.length) : 'pass';
}

export const a18Variance: Check = {
  id: 'A18',
  code: 'no_variance',
  title: 'Repetitions differ',
  rule:
    'Three or more repetitions of a point (results of one artifact, or samples of one result) differ in at least one digit of their latencies, rates and times. Counts are not compared. ' +
    'If all are equal, each of them gets a warning, because measurements never repeat exactly.',
  check({ result, repetitions }) {
    if (repetitions.length >= repetitionsLeast) return compare(repetitions);
    return compareSamples(result);
  },
};
