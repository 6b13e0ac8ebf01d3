import { uncachedShare } from '../../hardware/prefix-cache.ts';
import { flopsMost } from '../../hardware/rates.ts';
import type { Result } from '../../subjects/result.ts';
import { lengthsOf } from '../../subjects/scenario.ts';
import { type Answer, answer, type Check, type Doubt, figure, roundingOf, unchecked } from '../check.ts';
import { judgeOn, type Setting, settingOf, withArithmetic } from './hardware-claim.ts';
import { flopsText, gpusText, judgeClaim } from './roofline.ts';

const title = 'No prompt is read faster than it can be computed';

interface Prefill {
  /** Mean seconds to the first token, and the prompt tokens computed before it. */
  seconds: number;
  tokens: number;
  sequences: number;
  /** False if only the requested length is known: actual prompts may be shorter. */
  isCounted: boolean;
}

function claimedPrefill(result: Result): Prefill | null {
  const { metrics, definitions, load } = result;
  const { ttft_ms_mean: ttftMs, input_tokens, requests_ok, requests_failed = 0 } = metrics;
  // The count may include prompts of failed requests.
  const counted = input_tokens === undefined || !requests_ok ? null : input_tokens / (requests_ok + requests_failed);
  const length = counted ?? lengthsOf(result).inputTokens;
  if (ttftMs === undefined || length === null || length === 0) return null;
  const isBatch = definitions.ttft_ms === 'last_of_batch' || definitions.ttft_ms === 'prefill_only';
  const sequences = isBatch && load.mode === 'batch' ? load.level : 1;
  const seconds = (ttftMs + roundingOf(ttftMs)) / 1000;
  return { seconds, tokens: length * sequences, sequences, isCounted: counted !== null || load.mode === 'batch' };
}

/** Compares one claimed prefill speed with the compute of `gpuCount` GPUs. */
function judgeSpeed(
  { tokS, stated, gpuCount, isCounted }: { tokS: number; stated: () => string; gpuCount: number; isCounted: boolean },
  { gpus, weights }: Setting,
): Answer {
  const claimed = 2 * weights.prefillParams * tokS;
  const bound = gpuCount * (flopsMost(gpus, weights) ?? Infinity);
  return judgeClaim({
    stated,
    needs: () => `${flopsText(claimed)}; ${gpusText(gpuCount, gpus.name)} ${flopsText(bound)}`,
    claimed,
    bound,
    isCertain: gpus.isCertain && isCounted,
    evidence: { prefill_tok_s: tokS, bound_tok_s: bound / (2 * weights.prefillParams) },
  });
}

/** Both claims lack the same facts. Reports them once, and only if there is no other finding. */
function merged(doubts: readonly Doubt[]): readonly Doubt[] {
  const findings = doubts.filter(({ severity }) => severity !== 'unchecked');
  return findings.length > 0 ? findings : doubts.slice(0, 1);
}

export const p5PrefillFloor: Check = {
  id: 'P5',
  code: 'above_roofline',
  title,
  rule:
    'An uncached prompt costs two operations for every token and parameter but the output head; attention among its tokens is not counted. prefill_tok_s, and prompt tokens / mean TTFT, may be at most what the GPUs can compute: all GPUs for a batch; for a single prompt those that share it, including pipeline stages but not replicas. ' +
    'Needs the GPU, the model and the length of the prompt; prompt tokens from a prefix cache are free. If a cache is declared but its tokens were not counted, this is not checked. Verdicts and replacements as for P2, but at most a warning if prompts were not counted and may have been shorter than requested.',
  check({ result }) {
    if (result.kind !== 'serving') return 'not_applicable';
    const prefill = claimedPrefill(result);
    const { prefill_tok_s } = result.metrics;
    if (prefill === null && prefill_tok_s === undefined) return 'not_applicable';
    const share = uncachedShare(result);
    if (share === null) return unchecked(title, ['how many prompt tokens came from the prefix cache']);
    const setting = settingOf(result);
    if (Array.isArray(setting)) return unchecked(title, setting);
    const { count, prefillWidth } = setting.gpus;
    const { system } = result;
    const judge = (speed: Parameters<typeof judgeSpeed>[0]) =>
      judgeOn(title, withArithmetic(setting, result), system, (of) => judgeSpeed(speed, of));
    const isOne = result.load.level === 1 && result.load.mode !== 'rate';
    const answers: Answer[] = [];
    if (prefill_tok_s !== undefined) {
      const stated = () => `${figure(prefill_tok_s)} prompt tokens per second`;
      const gpuCount = isOne ? prefillWidth : count;
      answers.push(judge({ tokS: prefill_tok_s * share, stated, gpuCount, isCounted: true }));
    }
    if (prefill !== null) {
      const { seconds, tokens, sequences, isCounted } = prefill;
      const stated = () => `${figure(tokens)} prompt tokens within ${figure(seconds * 1000)} ms`;
      const gpuCount = sequences > 1 ? count : prefillWidth;
      answers.push(judge({ tokS: (tokens * share) / seconds, stated, gpuCount, isCounted }));
    }
    return answer(merged(answers.flatMap((each) => (typeof each === 'string' ? [] : each))));
  },
};
