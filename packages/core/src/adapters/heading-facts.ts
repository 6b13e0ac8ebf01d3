import type { ParsedResult } from './adapter.ts';
import { powerLimitIn, type Section, sectionAt } from './reading/text/sections.ts';

/** Adds a fact from the heading above a result that the tool does not print: the power limit of the GPU. */
export function withHeading(result: ParsedResult, sections: readonly Section[]): ParsedResult {
  if (sections.length === 0 || result.system.gpuPowerLimitW !== null) return result;
  const watts = powerLimitIn(sectionAt(sections, result.lines.from));
  if (watts === null) return result;
  return { ...result, system: { ...result.system, gpuPowerLimitW: { value: watts, origin: 'context' } } };
}
