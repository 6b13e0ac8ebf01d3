import type { Fact, ScenarioFacts } from '../adapter.ts';

/** Mean lengths that a tool measured, as a part of its scenario; nothing where it states none. */
export function measuredLengths(input: number | null, output: number | null): Pick<ScenarioFacts, 'lengths'> {
  const mean = (value: number | null) => (value !== null && value > 0 ? value : null);
  const lengths = { inputTokens: mean(input), outputTokens: mean(output) };
  return lengths.inputTokens === null && lengths.outputTokens === null ? {} : { lengths };
}

/** A length that was asked for: every request has it, or they vary around it, and then the caller's word wins. */
export function askedLength(tokens: number | null, varies: boolean): Fact<number> | null {
  if (tokens === null || tokens < 1 || !Number.isInteger(tokens)) return null;
  return { value: tokens, origin: varies ? 'inferred' : 'stated' };
}
