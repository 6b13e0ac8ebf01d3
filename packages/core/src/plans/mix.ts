import type { PlanScenario } from './made-up-prompts.ts';

/** A part of a mix: requests of one shape. */
export interface MixPart {
  /** The part's name in request records. */
  name: string;
  /** Its share is this by the sum of all. */
  weight: number;
  inputTokens: number;
  outputTokens: number;
}

type Shape = Omit<MixPart, 'name'>;

/** Maximum parts of a mix and maximum weight of a part: with these, the name of a mix has at most `mixNameMax` characters. */
export const mixPartsMax = 6;
export const weightMax = 10_000;
export const mixNameMax = 150;

const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));

/**
 * The name of a mix, equal for equal mixes: the most frequent shape first, with the smallest whole weights. Weights of 30 and 70
 * are `mix-100x20-7-1024x256-3`.
 */
export function mixName(parts: readonly Shape[]): string {
  const areWhole = parts.every(({ weight }) => Number.isInteger(weight));
  const common = areWhole ? parts.reduce((all, { weight }) => divisor(all, weight), 0) : 1;
  const named = parts
    .toSorted((a, b) => b.weight - a.weight || a.inputTokens - b.inputTokens || a.outputTokens - b.outputTokens)
    .map(({ weight, inputTokens, outputTokens }) => `${inputTokens}x${outputTokens}-${weight / common}`);
  return `mix-${named.join('-')}`;
}

/** The workload of a mix, whose lengths vary. */
export function scenarioOfMix(mix: readonly MixPart[]): PlanScenario {
  const name = mixName(mix);
  return { id: name, inputTokens: null, outputTokens: null, dataset: name, depth: null, kernel: null, mix };
}

/** Mean tokens of one request. */
export function tokensOfMix(mix: readonly Shape[]): { input: number; output: number } {
  const total = mix.reduce((sum, { weight }) => sum + weight, 0);
  const mean = (tokens: (part: Shape) => number) =>
    Math.ceil(mix.reduce((sum, part) => sum + part.weight * tokens(part), 0) / total);
  return { input: mean(({ inputTokens }) => inputTokens), output: mean(({ outputTokens }) => outputTokens) };
}
