import { z } from 'zod';
import { resolveScenario, type ScenarioMatch, unknownScenario } from '../catalogue/scenarios.ts';
import type { Fault } from '../errors.ts';
import type { KnownLoad } from '../subjects/load.ts';
import { NameSchema } from '../text/text.ts';
import { datasetIds } from './datasets.ts';
import { type Lengths, lengthForms, meanLength, readLengths, tokensMax } from './lengths.ts';
import { type PlanScenario, scenarioOfPrompts } from './made-up-prompts.ts';
import { type MixPart, mixPartsMax, scenarioOfMix, weightMax } from './mix.ts';
import { prefixTokensMax } from './point-size.ts';
import { type At, limitsLengthMax, say, whole } from './schema-parts.ts';

const wholeTokens = whole(0, tokensMax);

/** A number of tokens, or the distribution that lengths are drawn from. */
const TokensSchema = z.unknown().transform((value, context): number | Lengths => {
  const lengths = typeof value === 'string' ? readLengths(value.slice(0, limitsLengthMax)) : null;
  if (lengths !== null && typeof lengths === 'object' && lengths.kind !== 'constant') return lengths;
  const { data, error } = wholeTokens.safeParse(value);
  if (data !== undefined) return data;
  const isText = typeof value === 'string';
  const message = isText ? `must be one of ${lengthForms}` : (error?.issues[0]?.message ?? '');
  // Numbers that do not fit together are no fault of the form.
  const fault: Fault =
    typeof lengths === 'string' ? { code: 'plan_inconsistent', message: lengths } : { code: 'value_invalid', message };
  context.addIssue({ code: 'custom', message: fault.message, params: { fault } });
  return z.NEVER;
});

/** Maximum shared prefixes of a workload. */
export const prefixesMax = 100_000;

/** Maximum turns of a conversation. */
export const turnsMax = 1000;

/** Maximum mean time between the turns of a conversation, in seconds. */
export const thinkMax = 3600;

/** Seconds, or the distribution that they are drawn from. */
const ThinkSchema = z.unknown().transform((value, context): Lengths => {
  const text = typeof value === 'number' || typeof value === 'string' ? String(value) : '';
  const lengths = readLengths(text.slice(0, limitsLengthMax));
  const isRead = typeof lengths === 'object' && lengths !== null;
  if (isRead && meanLength(lengths) <= thinkMax) return lengths;
  const tooLong = `must have a mean of at most ${thinkMax} seconds`;
  const fault: Fault =
    lengths === null
      ? {
          code: 'value_invalid',
          message: `must be one of ${lengthForms}, in seconds above 0`,
          hint: 'Omit it for none.',
        }
      : { code: 'plan_inconsistent', message: isRead ? tooLong : lengths };
  context.addIssue({ code: 'custom', message: fault.message, params: { fault } });
  return z.NEVER;
});

const PrefixSchema = z.strictObject({ groups: whole(1, prefixesMax), tokens: whole(1, tokensMax) });

export const MixPartSchema = z.strictObject({
  name: NameSchema.nullish(),
  input_tokens: wholeTokens.nullish(),
  output_tokens: wholeTokens.nullish(),
  weight: whole(1, weightMax).nullish(),
});

const MixSchema = z
  .array(MixPartSchema, say('must be a list of request shapes'))
  .min(2, 'must have at least two request shapes')
  .max(mixPartsMax, `must have at most ${mixPartsMax} request shapes`);

export const ScenarioSchema = z.strictObject({
  name: NameSchema.nullish(),
  input_tokens: TokensSchema.nullish(),
  output_tokens: TokensSchema.nullish(),
  dataset: NameSchema.nullish(),
  prefix: PrefixSchema.nullish(),
  turns: whole(2, turnsMax).nullish(),
  think_s: ThinkSchema.nullish(),
  mix: MixSchema.nullish(),
});

/** A scenario as its name, or as an object. */
export const NamedScenarioSchema = z.preprocess(
  (value) => (typeof value === 'string' ? { name: value } : value),
  ScenarioSchema,
);

const placeOf = (parameter: string | undefined) =>
  parameter === 'load'
    ? 'load'
    : parameter === undefined || parameter === 'scenario'
      ? 'scenario'
      : `scenario/${parameter}`;

/**
 * Checks that a workload can be sent: synthetic prompts of a given length, or a data set with a parser. A plan has no unknown name
 * next to its lengths: it is probably misspelt.
 */
function checkScenario({ scenario, fault: found, unknownName }: ScenarioMatch, at: At): void {
  const fault =
    unknownName === null
      ? found
      : unknownScenario(unknownName, 'Omit the name to name the workload by its lengths or its data set.');
  if (fault !== null) {
    at(placeOf(fault.parameter), fault.code, fault.message, fault.hint ?? '');
    return;
  }
  const { id, inputTokens, outputTokens, dataset, depth } = scenario;
  if (datasetIds.some((known) => known === id)) {
    if (inputTokens !== null || outputTokens !== null)
      at('scenario', 'scenario_not_runnable', 'uses the lengths of its data set', 'Omit the numbers of tokens.');
    return;
  }
  const sets = `Data sets are ${datasetIds.join(', ')}; any other workload is synthetic.`;
  if (dataset !== null && dataset !== 'random')
    at('scenario/dataset', 'scenario_not_runnable', `${dataset} is not a data set that can be sent`, sets);
  const lengths = 'State input_tokens and output_tokens, or name a scenario that has them.';
  if (depth !== null)
    at('scenario', 'scenario_not_runnable', 'requires a filled cache, which servers do not support', lengths);
  if (inputTokens === null || inputTokens === 0)
    at('scenario', 'scenario_not_runnable', 'has no tokens to send', lengths);
  if (outputTokens === null || outputTokens === 0)
    at('scenario', 'scenario_not_runnable', 'has no output tokens, but a streamed response has at least one', lengths);
}

type WrittenScenario = z.infer<typeof NamedScenarioSchema>;

const isDrawn = (lengths: number | Lengths | null): lengths is Lengths =>
  typeof lengths === 'object' && lengths !== null;

/** Lengths of made-up prompts: those stated, or those of a named workload. */
function lengthsOf(
  written: WrittenScenario,
  load: KnownLoad,
  at: At,
  forms = `one of ${lengthForms}`,
): { input: Lengths; output: Lengths } {
  const { name, input_tokens = null, output_tokens = null } = written;
  const constant = (tokens: number): Lengths => ({ kind: 'constant', tokens });
  if (name == null || input_tokens !== null || output_tokens !== null) {
    if (name != null) at('scenario/name', 'plan_inconsistent', 'does not fit lengths', 'Omit it, or omit the lengths.');
    const read = (field: string, given: number | Lengths | null): Lengths => {
      if (typeof given === 'object' && given !== null) return given;
      if (!given) at(`scenario/${field}`, 'plan_inconsistent', 'is missing', `Send ${forms}.`);
      return constant(given ?? 0);
    };
    return { input: read('input_tokens', input_tokens), output: read('output_tokens', output_tokens) };
  }
  const match = resolveScenario({ name, inputTokens: null, outputTokens: null, dataset: null, depth: null }, load);
  checkScenario(match, at);
  const { inputTokens, outputTokens } = match.scenario;
  if (match.fault === null && (inputTokens === null || outputTokens === null))
    at(
      'scenario/name',
      'scenario_not_runnable',
      'has no lengths for made-up prompts',
      'Send them instead of the name.',
    );
  return { input: constant(inputTokens ?? 0), output: constant(outputTokens ?? 0) };
}

/** Made-up prompts with drawn lengths, shared prefixes or several turns. */
function resolvePrompts(written: WrittenScenario, load: KnownLoad, at: At): PlanScenario {
  const { dataset, prefix = null, turns = null, think_s: thinkS = null } = written;
  const inPrefixes = (prefix?.groups ?? 0) * (prefix?.tokens ?? 0);
  if (inPrefixes > prefixTokensMax)
    at(
      'scenario/prefix',
      'plan_inconsistent',
      `must have at most ${prefixTokensMax} tokens in all groups together`,
      '',
    );
  if (dataset != null)
    at('scenario/dataset', 'plan_inconsistent', 'does not fit drawn lengths, a prefix or turns', 'Omit it.');
  if (turns === null && thinkS !== null)
    at('scenario/think_s', 'plan_inconsistent', 'belongs to conversations', 'State turns, or omit it.');
  const conversation = turns === null ? {} : { conversation: { turns, thinkS } };
  return scenarioOfPrompts({ ...lengthsOf(written, load, at), prefix, ...conversation });
}

/** A mix of request shapes. */
function resolveMix(written: WrittenScenario, load: KnownLoad, at: At): PlanScenario {
  const { mix, ...others } = written;
  for (const [field, value] of Object.entries(others))
    if (value != null) at(`scenario/${field}`, 'plan_inconsistent', 'does not fit a mix', 'Omit it, or omit the mix.');
  const parts = (mix ?? []).map(({ weight, ...part }, index): MixPart => {
    const own: At = (place, ...fault) => at(place.replace(/^scenario/, `scenario/mix/${index}`), ...fault);
    const { input, output } = lengthsOf(part, load, own, 'a whole number above 0');
    const [inputTokens, outputTokens] = [meanLength(input), meanLength(output)];
    return { name: part.name ?? `${inputTokens}x${outputTokens}`, weight: weight ?? 1, inputTokens, outputTokens };
  });
  return scenarioOfMix(parts);
}

/** Resolves the workload of a load, and checks that it can be sent. */
export function resolveWorkload(written: WrittenScenario, load: KnownLoad, at: At): PlanScenario {
  const { name = null, input_tokens: inputTokens = null, output_tokens: outputTokens = null, dataset = null } = written;
  if (written.mix != null) return resolveMix(written, load, at);
  const isConversation = written.turns != null || written.think_s != null;
  if (isConversation || written.prefix != null || isDrawn(inputTokens) || isDrawn(outputTokens))
    return resolvePrompts(written, load, at);
  const facts = { name, inputTokens, outputTokens, dataset, depth: null };
  const match = resolveScenario(facts, load);
  checkScenario(match, at);
  return match.scenario;
}
