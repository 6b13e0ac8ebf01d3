import type { ParsedResult } from './adapter.ts';
import { gpuCountIn, powerLimitIn, type Section, sectionAt } from './reading/text/sections.ts';

/** Adds facts from the headings above a result that the tool does not print: the power limit and the number of GPUs. */
export function withHeading(result: ParsedResult, sections: readonly Section[]): ParsedResult {
  if (sections.length === 0) return result;
  const { system } = result;
  const section = sectionAt(sections, result.lines.from);
  const watts = system.gpuPowerLimitW === null ? powerLimitIn(section) : null;
  const gpus = system.gpuCount === null ? gpuCountIn(section) : null;
  if (watts === null && gpus === null) return result;
  return {
    ...result,
    system: {
      ...system,
      ...(watts === null ? {} : { gpuPowerLimitW: { value: watts, origin: 'context' } }),
      ...(gpus === null ? {} : { gpuCount: { value: gpus, origin: 'context' } }),
    },
  };
}
