import type { Fact, ScenarioFacts } from '../../adapter.ts';

/** Mean lengths that a tool measured, as a part of its scenario; empty if it reports none. */
export function measuredLengths(input: number | null, output: number | null): Pick<ScenarioFacts, 'lengths'> {
  const mean = (value: number | null) => (value !== null && value > 0 ? value : null);
  const lengths = { inputTokens: mean(input), outputTokens: mean(output) };
  return lengths.inputTokens === null && lengths.outputTokens === null ? {} : { lengths };
}

/** A requested length. If all requests have it, it is stated; if they vary around it, a query parameter overrides it. */
export function askedLength(tokens: number | null, varies: boolean): Fact<number> | null {
  if (tokens === null || tokens < 1 || !Number.isInteger(tokens)) return null;
  return { value: tokens, origin: varies ? 'inferred' : 'stated' };
}
