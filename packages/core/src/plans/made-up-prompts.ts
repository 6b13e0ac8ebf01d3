import type { Scenario } from '../subjects/scenario.ts';
import { type Lengths, lengthsName, meanLength } from './lengths.ts';

/** Prefixes that prompts share: each prompt begins with one of `groups`, of `tokens` tokens. */
export interface SharedPrefix {
  groups: number;
  tokens: number;
}

/** Made-up prompts whose lengths are drawn, or which share prefixes. */
export interface MadeUpPrompts {
  /** Of the prompt without its prefix. */
  input: Lengths;
  output: Lengths;
  prefix: SharedPrefix | null;
}

/** The workload of a plan. */
export interface PlanScenario extends Scenario {
  /** Absent for a named workload, a data set, and prompts of one length without a shared prefix. */
  prompts?: MadeUpPrompts;
}

/** The name of made-up prompts by the names of their lengths. */
export const promptsName = (input: string, output: string, isFixed: boolean): string =>
  isFixed ? 'random' : `lengths-${input}-to-${output}`;

/** Joins the name of a part to that of a workload. Made-up prompts of one length are not named. */
export const joinedName = (part: string, name: string): string => (name === 'random' ? part : `${part}-${name}`);

export const prefixName = ({ groups, tokens }: SharedPrefix): string => `prefix-${groups}x${tokens}`;

const fixedOf = (lengths: Lengths): number | null => (lengths.kind === 'constant' ? lengths.tokens : null);

/** The workload of made-up prompts. Varying lengths are unknown. */
export function scenarioOfPrompts(prompts: MadeUpPrompts): PlanScenario {
  const { input, output, prefix } = prompts;
  const [fixed, outputTokens] = [fixedOf(input), fixedOf(output)];
  const own = promptsName(lengthsName(input), lengthsName(output), fixed !== null && outputTokens !== null);
  const name = prefix === null ? own : joinedName(prefixName(prefix), own);
  const inputTokens = fixed === null ? null : fixed + (prefix?.tokens ?? 0);
  return { id: name, inputTokens, outputTokens, dataset: name, depth: null, kernel: null, prompts };
}

/** Mean tokens of one request. */
export const tokensOfPrompts = ({ input, output, prefix }: MadeUpPrompts): { input: number; output: number } => ({
  input: Math.ceil(meanLength(input) + (prefix?.tokens ?? 0)),
  output: Math.ceil(meanLength(output)),
});
