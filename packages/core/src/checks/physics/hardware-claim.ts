import type { Decoding } from '../../hardware/bounds.ts';
import { fastestGpus, type GpuFigures, gpuFigures } from '../../hardware/gpus.ts';
import { type LeastWeights, leastWeights } from '../../hardware/least-weights.ts';
import { isOffloaded } from '../../hardware/offload.ts';
import { flopsMost } from '../../hardware/rates.ts';
import { draftMost, tokensPerStep } from '../../hardware/speculation.ts';
import { isOn } from '../../hardware/switches.ts';
import type { Result } from '../../subjects/result.ts';
import { lengthsOf } from '../../subjects/scenario.ts';
import { type Answer, unchecked } from '../check.ts';

/** The hardware, weights and model that the physics checks compare a result with. */
export interface Setting {
  gpus: GpuFigures;
  weights: LeastWeights['weights'];
  /**
   * Unknown facts of the system. The fastest GPU and the lightest possible weights replace them. A claim that breaks such a
   * bound is a violation; a claim within it is unchecked.
   */
  missing: readonly string[];
}

/** The parts of a result that the hardware limits depend on. */
export type HardwareClaim = Pick<Result, 'system' | 'scenario' | 'metrics' | 'extra'> &
  Partial<Pick<Result, 'lengths'>>;

/**
 * Tokens that each sequence has in the cache when it decodes its first token: the requested count, or the counted mean if
 * that is smaller.
 */
function contextOf({ metrics, scenario, lengths = null }: HardwareClaim): number {
  const { input_tokens, requests_ok } = metrics;
  const asked = lengthsOf({ scenario, lengths }).inputTokens ?? 0;
  const counted = input_tokens === undefined || !requests_ok ? asked : input_tokens / requests_ok;
  return Math.min(asked, counted) + (scenario.depth ?? 0);
}

/** True if sequences may share one cached copy of a common prompt. */
function sharesContext({ system: { features } }: HardwareClaim): boolean {
  return isOn(features.shared_prompt) || isOn(features.prefix_caching);
}

/** Returns the GPUs and weights for a result, or the missing facts if nothing can replace them. */
export function settingOf(result: HardwareClaim): Setting | string[] {
  const own = gpuFigures(result.system);
  const missing = own === null ? ['a GPU of the catalogue and how many'] : [];
  const least = leastWeights(result);
  if (least === null) return [...missing, 'a model of the catalogue'];
  const gpus = own ?? fastestGpus(result.system);
  return { gpus, weights: least.weights, missing: [...missing, ...least.missing.model] };
}

/** The same for bounds by compute alone: the rates of the fastest GPU replace unknown ones. */
export function withArithmetic(setting: Setting, { system }: HardwareClaim): Setting {
  if (flopsMost(setting.gpus, setting.weights) !== null) return setting;
  const { flops } = fastestGpus(system);
  const missing = [...setting.missing, 'the arithmetic rate of this GPU'];
  return { ...setting, gpus: { ...setting.gpus, flops }, missing };
}

/** The same for decoding: tokens per step, tokens in the cache, and whether weights must be read at all. */
export function decodingOf(result: HardwareClaim): (Setting & Decoding) | string[] {
  const setting = settingOf(result);
  const least = leastWeights(result);
  if (Array.isArray(setting) || least === null) return Array.isArray(setting) ? setting : [];
  const perStep = tokensPerStep(result.system, result.extra);
  const isOutside = isOffloaded(result);
  const { decodeParams, bytesLeast } = setting.weights;
  const isSmall = decodeParams * bytesLeast < cachedBelowBytes;
  const isCached = isSmall || !least.isNamed;
  const missing = [
    ...setting.missing,
    ...(perStep === null ? ['the number of draft_tokens'] : []),
    ...(isOutside ? ['how much of the weights and the cache is in GPU memory'] : []),
    ...least.missing.format,
    ...(isSmall && least.isNamed ? ['the bandwidth of the GPU caches, which may hold so few weights,'] : []),
  ];
  // Use the fastest GPU for weights in CPU memory, which is slower, and for cached weights without a known compute rate.
  const isOwnEnough = !isOutside && !(isCached && flopsMost(setting.gpus, setting.weights) === null);
  return {
    ...setting,
    gpus: isOwnEnough ? setting.gpus : fastestGpus(result.system),
    missing,
    perStep: perStep ?? draftMost + 1,
    context: contextOf(result),
    isShared: sharesContext(result),
    isCached,
  };
}

/**
 * Returns the finding of a setting. If facts are missing, only a violation is reported: it holds for all possible values. A
 * GPU with one source never causes a violation, unless no GPU could achieve the claim.
 */
export function judgeOn<S extends Setting>(
  title: string,
  setting: S,
  system: Result['system'],
  judge: (setting: S) => Answer,
): Answer {
  const isViolated = (answer: Answer) =>
    typeof answer !== 'string' && answer.some(({ severity }) => severity === 'violation');
  const own = judge(setting);
  if (isViolated(own)) return own;
  if (!setting.gpus.isCertain && own !== 'pass') {
    const beyond = judge({ ...setting, gpus: fastestGpus(system) });
    if (isViolated(beyond)) return beyond;
  }
  return setting.missing.length === 0 || own === 'not_applicable' ? own : unchecked(title, [...setting.missing]);
}

/** Maximum weights, in bytes, that may fit into last-level caches: up to 256 MiB on one GPU, more on several. */
const cachedBelowBytes = 0.5e9;

/** Returns the maximum sequences decoded together, which is the maximum in flight. Null if the load does not state it. */
export function batchOf({ load }: Result): number | null {
  if (load.mode === 'unspecified') return null;
  return load.mode === 'rate' ? (load.maxConcurrency ?? null) : load.level;
}
