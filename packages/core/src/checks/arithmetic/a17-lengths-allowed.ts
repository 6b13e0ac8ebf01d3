import { findModel } from '../../catalogue/index.ts';
import { succeeded } from '../../records/measure.ts';
import type { Result } from '../../subjects/result.ts';
import { lengthsOf } from '../../subjects/scenario.ts';
import { type Check, type Doubt, figure, unchecked } from '../check.ts';

const title = 'Responses and contexts are no longer than allowed';

/** Finds responses longer than the requested limit; null if no record has both figures. */
function checkAnswers({ records }: Result): readonly Doubt[] | null {
  if (records === null) return null;
  let judged = 0;
  let above = 0;
  let worst = { tokens: 0, limit: 0 };
  for (const { outputTokens, maxTokens } of succeeded(records.requests)) {
    if (outputTokens === null || maxTokens === null) continue;
    judged++;
    if (outputTokens <= maxTokens) continue;
    above++;
    if (outputTokens - maxTokens > worst.tokens - worst.limit) worst = { tokens: outputTokens, limit: maxTokens };
  }
  if (judged === 0) return null;
  if (above === 0) return [];
  return [
    {
      severity: 'violation',
      message: `${figure(above)} of ${figure(judged)} responses ${above === 1 ? 'is' : 'are'} longer than max_tokens, the longest by ${figure(worst.tokens - worst.limit)} tokens over its limit of ${figure(worst.limit)}.`,
      evidence: { requests: judged, above, output_tokens: worst.tokens, max_tokens: worst.limit },
    },
  ];
}

/** Returns the requested tokens in the context at the end of a response; null if the workload does not define them. */
function contextOf(result: Result): number | null {
  const { inputTokens, outputTokens } = lengthsOf(result);
  const { depth } = result.scenario;
  return inputTokens === null || outputTokens === null ? null : inputTokens + outputTokens + (depth ?? 0);
}

function checkContext(result: Result): readonly Doubt[] | null {
  const context = contextOf(result);
  if (context === null) return null;
  const { id, name } = result.system.model;
  const bound = id === null ? undefined : findModel(id)?.contextLength;
  if (bound === undefined) return unchecked(title, ['the context length of the model']);
  if (context <= bound) return [];
  return [
    {
      severity: 'warning',
      message: `${figure(context)} tokens of context are more than the ${figure(bound)} that ${name} supports.`,
      evidence: { context_tokens: context, bound, ratio: context / bound },
    },
  ];
}

export const a17LengthsAllowed: Check = {
  id: 'A17',
  code: 'length_not_allowed',
  title,
  rule:
    'With records, no response has more output tokens than its max_tokens; more is a violation. Input, output and any depth before them are at most the context length of the model in the catalogue; more is a warning, because the context of a model can be extended. ' +
    'Counts have no tolerance. A sum of tokens is not checked, because the length that a scenario names may be a mean.',
  check({ result }) {
    if (result.kind !== 'serving') return 'not_applicable';
    const answers = checkAnswers(result);
    const context = checkContext(result);
    if (answers === null && context === null) return 'not_applicable';
    const doubts = [...(answers ?? []), ...(context ?? [])];
    return doubts.length === 0 ? 'pass' : doubts;
  },
};
