import { uncachedShare } from '../../hardware/prefix-cache.ts';
import { flopsMost } from '../../hardware/rates.ts';
import type { Result } from '../../subjects/result.ts';
import { type Check, figure, unchecked } from '../check.ts';
import { judgeOn, settingOf, withArithmetic } from './hardware-claim.ts';
import { flopsText, gpusText, judgeClaim } from './roofline.ts';

/** The best measured matrix multiplications reach this share of the peak. */
const bestEfficiency = 0.97;

const title = 'The tokens of a run fit its arithmetic';

interface TokenRates {
  /** Tokens per second of the measured window; null if they are not claimed. */
  input: number | null;
  output: number | null;
}

const rate = (stated: number | undefined, tokens: number | undefined, seconds: number | undefined): number | null => {
  if (stated !== undefined) return stated;
  return tokens === undefined || seconds === undefined || seconds <= 0 ? null : tokens / seconds;
};

function ratesOf({ metrics }: Result): TokenRates {
  const { input_tok_s, output_tok_s, total_tok_s, input_tokens, output_tokens, duration_s } = metrics;
  const output = rate(output_tok_s, output_tokens, duration_s);
  const input = rate(input_tok_s, input_tokens, duration_s);
  // If only a total is known, count its tokens as prompt tokens, which are cheaper.
  const rest = total_tok_s === undefined ? null : Math.max(0, total_tok_s - (output ?? 0));
  return { input: input ?? rest, output };
}

/** "120000 input and 15000 output tok/s". */
function statedText(input: number | null, output: number | null): string {
  const parts = [input === null ? [] : `${figure(input)} input`, output === null ? [] : `${figure(output)} output`];
  return `${parts.flat().join(' and ')} tok/s`;
}

export const p4ComputeBudget: Check = {
  id: 'P4',
  code: 'above_roofline',
  title,
  rule:
    'Each prompt token costs two operations for every parameter but the output head, each output token two for every active one; together they may be at most GPUs x the largest dense rate of the precision. ' +
    'Needs rates or counts with a duration, the GPU and the model; prompt tokens from a prefix cache are free. If a cache is declared but its tokens were not counted, prompt tokens are omitted and reported as unchecked. Verdicts and replacements as for P2, but more than 0.97 of the bound, the highest ever measured, is already a warning.',
  check({ result }) {
    if (result.kind !== 'serving') return 'not_applicable';
    const { input, output } = ratesOf(result);
    if (input === null && output === null) return 'not_applicable';
    const setting = settingOf(result);
    if (Array.isArray(setting)) return unchecked(title, setting);
    const share = uncachedShare(result);
    const judged = judgeOn(title, withArithmetic(setting, result), result.system, ({ gpus, weights }) => {
      const { decodeParams, prefillParams } = weights;
      const claimed = 2 * prefillParams * (input ?? 0) * (share ?? 0) + 2 * decodeParams * (output ?? 0);
      const bound = gpus.count * (flopsMost(gpus, weights) ?? Infinity);
      return judgeClaim({
        stated: () => statedText(input, output),
        needs: () => `${flopsText(claimed)}; ${gpusText(gpus.count, gpus.name)} ${flopsText(bound)}`,
        claimed,
        bound,
        isCertain: gpus.isCertain,
        doubtFrom: bestEfficiency,
        evidence: { input_tok_s: input, output_tok_s: output, uncached_share: share },
      });
    });
    if (judged === 'pass' && input !== null && share === null)
      return unchecked(title, ['how many prompt tokens came from the prefix cache']);
    return judged;
  },
};
