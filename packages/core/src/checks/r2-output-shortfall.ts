import { succeeded } from '../records/measure.ts';
import { lengthsOf } from '../scenario.ts';
import { type Check, figure, unchecked } from './check.ts';

const title = 'Answers are as long as was asked';
const shareLeast = 0.95;
/** Fewer answers say nothing about the length of the others. */
const requestsLeast = 10;

export const r2OutputShortfall: Check = {
  id: 'R2',
  code: 'output_shortfall',
  title,
  rule:
    'Where the scenario names one output length, the mean of the answers must reach 95 % of it. Needs the output tokens of every successful request, and 10 of them for a doubt. ' +
    'Lengths that vary around the one named (an answer or a limit above it) are not judged. Below it is a warning: answers ended by themselves, so decoding had less to do than the scenario says.',
  check({ result }) {
    const { records } = result;
    const asked = lengthsOf(result).outputTokens;
    if (records === null || asked === null || asked === 0) return 'not_applicable';
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
        message: `${figure(asked)} output tokens were asked for, but the answers have ${figure(mean)} on average: the end of an answer was not ignored.`,
        evidence: { asked_tokens: asked, mean_tokens: mean, ratio: mean / asked, requests: lengths.length },
      },
    ];
  },
};
