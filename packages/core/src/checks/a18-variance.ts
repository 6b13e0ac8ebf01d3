import { type MetricName, metrics as registry } from '../metrics/index.ts';
import type { Result } from '../result.ts';
import type { Answer, Check } from './check.ts';

const repetitionsLeast = 3;
/** What a clock had a part in. Counts and what was asked for are the same in every repetition. */
const timed = new Set(['ms', 's', 'tok/s', 'req/s', 'TFLOP/s']);
const names: readonly MetricName[] = registry
  .filter(({ family }) => timed.has(family.unit) && !family.derived)
  .map(({ name }) => name);

const isSame = (one: Result, other: Result) => names.every((name) => one.metrics[name] === other.metrics[name]);

/** True if all of a list, three or more, are the same as the first. */
const repeats = <T>(list: readonly T[], same: (one: T, other: T) => boolean) =>
  list.length >= repetitionsLeast && list.every((entry) => list[0] !== undefined && same(list[0], entry));

const warning = (n: number): Answer => [
  {
    severity: 'warning',
    message: `${n} repetitions agree in every figure to every digit: no two measurements do, so one was copied, or digits were cut.`,
    evidence: { repetitions: n },
  },
];

/** Results of a point share their list of repetitions: it is compared once and not for each of them. */
const known = new WeakMap<readonly Result[], Answer>();

function compare(repetitions: readonly Result[]): Answer {
  const before = known.get(repetitions);
  if (before !== undefined) return before;
  // Of any of them: which comes first says nothing.
  const hasFigures = repetitions.some(({ metrics }) => names.some((name) => metrics[name] !== undefined));
  const isCopied = hasFigures && repeats(repetitions, isSame);
  const answer = !hasFigures ? 'not_applicable' : isCopied ? warning(repetitions.length) : 'pass';
  known.set(repetitions, answer);
  return answer;
}

/** Repetitions that the submitter averaged tell their samples, or do not. */
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
    'Three repetitions of a point or more, results of one artifact or the samples of one result, do not agree in all their latencies, rates and times to every digit. Counts are not compared. ' +
    'If they agree it is a warning on each of them: a measurement does not repeat itself exactly.',
  check({ result, repetitions }) {
    if (repetitions.length >= repetitionsLeast) return compare(repetitions);
    return compareSamples(result);
  },
};
