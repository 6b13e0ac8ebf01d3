import type { Scenario } from '../subjects/scenario.ts';
import { type Lengths, lengthsName, meanLength } from './lengths.ts';
import type { MixPart } from './mix.ts';

/** Prefixes that prompts share: each prompt begins with one of `groups`, of `tokens` tokens. */
export interface SharedPrefix {
  groups: number;
  tokens: number;
}

/** Conversations: each turn contains all earlier messages and responses. */
export interface Conversation {
  turns: number;
  /** Seconds from the end of a response to the next turn; null: none. */
  thinkS: Lengths | null;
}

/** Made-up prompts whose lengths are drawn, which share prefixes, or which are turns of conversations. */
export interface MadeUpPrompts {
  /** Of the prompt without its prefix; in a conversation, of each turn's message. */
  input: Lengths;
  output: Lengths;
  prefix: SharedPrefix | null;
  /** Absent: requests are independent. */
  conversation?: Conversation;
}

/** The workload of a plan. */
export interface PlanScenario extends Scenario {
  /** Absent for a named workload, a data set, and independent prompts of one length without a shared prefix. */
  prompts?: MadeUpPrompts;
  /** Present only for a mix: each request is of one of these shapes, drawn by weight. */
  mix?: readonly MixPart[];
}

/** The name of made-up prompts by the names of their lengths. */
export const promptsName = (input: string, output: string, isFixed: boolean): string =>
  isFixed ? 'random' : `lengths-${input}-to-${output}`;

/** Conversations as part of a workload's name, by the name of their think time. */
export const conversationName = (turns: number, think: string | null): string =>
  `turns-${turns}${think === null ? '' : `-think-${think}`}`;

/** The name of made-up conversations by the names of their lengths. */
export const conversationsName = (conversation: string, input: string, output: string): string =>
  `${conversation}-${input}-to-${output}`;

/** Joins the name of a part to that of a workload. Made-up prompts of one length are not named. */
export const joinedName = (part: string, name: string): string => (name === 'random' ? part : `${part}-${name}`);

export const prefixName = ({ groups, tokens }: SharedPrefix): string => `prefix-${groups}x${tokens}`;

const nameOfConversation = ({ turns, thinkS }: Conversation): string =>
  conversationName(turns, thinkS === null ? null : lengthsName(thinkS));

const fixedOf = (lengths: Lengths): number | null => (lengths.kind === 'constant' ? lengths.tokens : null);

/** The workload of made-up prompts. Varying lengths are unknown. */
export function scenarioOfPrompts(prompts: MadeUpPrompts): PlanScenario {
  const { input, output, prefix, conversation } = prompts;
  const outputTokens = fixedOf(output);
  // A later turn contains all earlier ones.
  const fixed = conversation === undefined ? fixedOf(input) : null;
  const lengths = [lengthsName(input), lengthsName(output)] as const;
  const own =
    conversation === undefined
      ? promptsName(...lengths, fixed !== null && outputTokens !== null)
      : conversationsName(nameOfConversation(conversation), ...lengths);
  const name = prefix === null ? own : joinedName(prefixName(prefix), own);
  const inputTokens = fixed === null ? null : fixed + (prefix?.tokens ?? 0);
  return { id: name, inputTokens, outputTokens, dataset: name, depth: null, kernel: null, prompts };
}

/** Requests of each conversation; 1 for a workload without conversations. */
export const turnsOf = ({ prompts }: Pick<PlanScenario, 'prompts'>): number => prompts?.conversation?.turns ?? 1;

/** Mean tokens of one request, over all turns of a conversation. */
export function tokensOfPrompts(prompts: MadeUpPrompts): { input: number; output: number } {
  const [input, output] = [meanLength(prompts.input), meanLength(prompts.output)];
  // On average, half of the other turns come before a turn.
  const earlier = ((prompts.conversation?.turns ?? 1) - 1) / 2;
  return {
    input: Math.ceil(input + (prompts.prefix?.tokens ?? 0) + earlier * (input + output)),
    output: Math.ceil(output),
  };
}
