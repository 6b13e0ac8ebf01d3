import type { Decoding } from '../hardware/bounds.ts';
import { fastestGpus, type GpuFigures, gpuFigures } from '../hardware/gpus.ts';
import { type LeastWeights, leastWeights } from '../hardware/least-weights.ts';
import { isOffloaded } from '../hardware/offload.ts';
import { flopsMost } from '../hardware/rates.ts';
import { draftMost, tokensPerStep } from '../hardware/speculation.ts';
import { isOn } from '../hardware/switches.ts';
import type { Result } from '../result.ts';
import { lengthsOf } from '../scenario.ts';
import { type Answer, unchecked } from './check.ts';

/** What the physics checks hold a result against. */
export interface Setting {
  gpus: GpuFigures;
  weights: LeastWeights['weights'];
  /**
   * What of the system is not known. The fastest GPU and the lightest weights that are possible stand in for it: a claim
   * may break such a bound, and one that keeps it was not checked.
   */
  missing: readonly string[];
}

/** What of a result the limits of the hardware depend on. */
export type HardwareClaim = Pick<Result, 'system' | 'scenario' | 'metrics' | 'extra'> &
  Partial<Pick<Result, 'lengths'>>;

/**
 * Tokens that each sequence has in the cache when its first is decoded: what was asked, or the mean that was counted
 * where that is less.
 */
function contextOf({ metrics, scenario, lengths = null }: HardwareClaim): number {
  const { input_tokens, requests_ok } = metrics;
  const asked = lengthsOf({ scenario, lengths }).inputTokens ?? 0;
  const counted = input_tokens === undefined || !requests_ok ? asked : input_tokens / requests_ok;
  return Math.min(asked, counted) + (scenario.depth ?? 0);
}

/** True where sequences may read one copy of a prompt that they have in common. */
function sharesContext({ system: { features } }: HardwareClaim): boolean {
  return isOn(features.shared_prompt) || isOn(features.prefix_caching);
}

/** GPUs and weights to hold a result against, or what is missing where nothing can stand in for it. */
export function settingOf(result: HardwareClaim): Setting | string[] {
  const own = gpuFigures(result.system);
  const missing = own === null ? ['a GPU of the catalogue and how many'] : [];
  const least = leastWeights(result);
  if (least === null) return [...missing, 'a model of the catalogue'];
  const gpus = own ?? fastestGpus(result.system);
  return { gpus, weights: least.weights, missing: [...missing, ...least.missing.model] };
}

/** The same where arithmetic alone bounds a speed: the rates of the fastest GPU stand in for those that are not known. */
export function withArithmetic(setting: Setting, { system }: HardwareClaim): Setting {
  if (flopsMost(setting.gpus, setting.weights) !== null) return setting;
  const { flops } = fastestGpus(system);
  const missing = [...setting.missing, 'the arithmetic rate of this GPU'];
  return { ...setting, gpus: { ...setting.gpus, flops }, missing };
}

/** The same for decoding: how many tokens a step gives, what lies in the cache, and whether weights must be read at all. */
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
    ...(isOutside ? ['how much of the weights and the cache lies in GPU memory'] : []),
    ...least.missing.format,
    ...(isSmall && least.isNamed ? ['the bandwidth of the GPU caches, which may hold so few weights,'] : []),
  ];
  // Memory of the processor is slower than that of the fastest GPU, which needs no memory where caches hold the weights.
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
 * A verdict on a setting. Where facts are missing only a violation is told: the claim is beyond whatever they may be. A
 * GPU that one source tells of accuses nobody, unless no GPU at all could do it.
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

/** Weights that a last-level cache may hold: up to 256 MiB on one GPU, more on several. */
const cachedBelowBytes = 0.5e9;

/** Sequences decoded together: as many as are in flight at most. Null where the load does not say. */
export function batchOf({ load }: Result): number | null {
  if (load.mode === 'unspecified') return null;
  return load.mode === 'rate' ? (load.maxConcurrency ?? null) : load.level;
}
