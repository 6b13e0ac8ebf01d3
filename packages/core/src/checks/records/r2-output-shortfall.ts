import { succeeded } from '../../records/measure.ts';
import type { Result } from '../../subjects/result.ts';
import { lengthsOf } from '../../subjects/scenario.ts';
import { meanAnswer } from '../arithmetic/arithmetic.ts';
import { type Answer, type Check, figure, unchecked } from '../check.ts';

const title = 'Responses have the requested length';
const shareLeast = 0.95;
/** The least share for counts without records. Some tools draw lengths between 80 % and 100 % of the named one. */
const countedShareLeast = 0.85;
/** Minimum number of requests; fewer do not show the length of the others. */
const requestsLeast = 10;

/** Compares the counted tokens of all responses. Without records, it is unknown whether a response ended early. */
function checkCounts({ metrics }: Result, asked: number): Answer {
  const mean = meanAnswer(metrics);
  const requests = metrics.requests_ok ?? 0;
  if (mean === null || requests < requestsLeast) return 'not_applicable';
  if (mean >= countedShareLeast * asked) return 'pass';
  return [
    {
      severity: 'warning',
      message: `${figure(asked)} output tokens were requested, but the ${figure(requests)} responses have ${figure(mean)} on average.`,
      evidence: { asked_tokens: asked, mean_tokens: mean, ratio: mean / asked, requests },
    },
  ];
}

export const r2OutputShortfall: Check = {
  id: 'R2',
  code: 'output_shortfall',
  title,
  rule:
    'If the scenario names one output length, the mean of the responses must reach 95 % of it. Needs the output tokens of every successful request, and at least 10 requests. ' +
    'Without records, the output tokens divided by the requests must reach 85 %. ' +
    'Lengths that vary around the named one (a response or a limit above it) are not checked. A lower mean is a warning: responses ended early, so decoding had less work than the scenario states.',
  check({ result }) {
    const { records } = result;
    const asked = lengthsOf(result).outputTokens;
    if (asked === null || asked === 0) return 'not_applicable';
    if (records === null) return checkCounts(result, asked);
    const ok = succeeded(records.requests);
    const lengths = ok.flatMap(({ outputTokens }) => (outputTokens === null ? [] : [outputTokens]));
    if (lengths.length < ok.length) return unchecked(title, ['output tokens of every successful request']);
    const isVaried = ok.some(({ outputTokens, maxTokens }) => Math.max(outputTokens ?? 0, maxTokens ?? 0) > asked);
    if (isVaried || lengths.length === 0) return 'not_applicable';
    const mean = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
    if (mean >= shareLeast * asked) return 'pass';
    if (lengths.length < requestsLeast) return unchecked(title, [`${requestsLeast} successful requests or more`]);
    return [
      {
        severity: 'warning',
        message: `${figure(asked)} output tokens were requested, but the responses have ${figure(mean)} on average: end-of-sequence tokens were not ignored.`,
        evidence: { asked_tokens: asked, mean_tokens: mean, ratio: mean / asked, requests: lengths.length },
      },
    ];
  },
};
