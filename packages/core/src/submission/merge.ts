import type { Fact } from '../adapters/adapter.ts';
import { isWaived } from '../catalogue/normalise.ts';
import type { Finding } from '../checks/check.ts';
import type { Fault } from '../errors.ts';
import { unspecified } from '../system.ts';

/** What became of one fact: the value to use, and where the caller and the artifact disagreed. */
export interface Merged<T> {
  value: T | null;
  fault?: Fault;
  finding?: Finding;
}

const isWithheld = (value: unknown) => typeof value === 'string' && isWaived(value);

/** The word itself, however it was capitalised. */
const spelled = <T extends string | number>(value: T | null): T | null =>
  isWithheld(value) ? (unspecified as T) : value;

/**
 * Brings the caller's word and the artifact's together. `unspecified` is no claim: whatever the artifact says, even a
 * hint, is then used. A hint gives way to the caller and a finding tells of it; a stated fact that says otherwise is a
 * fault, never a silent choice.
 *
 * @param agree whether two spellings mean the same; answers the better one, or null for a contradiction
 */
export function mergeFact<T extends string | number>(
  parameter: string,
  given: T | undefined,
  fact: Fact<T> | null,
  agree: (given: T, found: T) => T | null = (a, b) => (a === b ? a : null),
): Merged<T> {
  if (fact === null || isWithheld(fact.value)) return { value: spelled(given ?? fact?.value ?? null) };
  if (given === undefined || isWithheld(given)) {
    if (fact.origin !== 'inferred') return { value: fact.value };
    return { value: fact.value, finding: hint(parameter, fact.value) };
  }
  const agreed = agree(given, fact.value);
  if (agreed !== null) return { value: agreed };
  if (fact.origin === 'inferred') return { value: given, finding: overridden(parameter, given, fact.value) };
  return {
    value: given,
    fault: {
      code: 'facts_contradict',
      parameter,
      message: `${parameter}=${given} was given, but the artifact says "${fact.value}".`,
      hint: `Leave ${parameter} away to use the artifact's word, or submit the artifact that belongs to "${given}".`,
    },
  };
}

function hint(parameter: string, value: string | number): Finding {
  return {
    code: `${parameter}_inferred`,
    severity: 'info',
    message: `The ${parameter.replaceAll('_', ' ')} was inferred from the artifact: "${value}". State it if it is another.`,
    evidence: { [parameter]: value },
  };
}

/** The word that counts, and a name in the artifact that hints at another. */
export function overridden(parameter: string, given: string | number, found: string | number): Finding {
  return {
    code: `${parameter}_hint_differs`,
    severity: 'info',
    message: `The ${parameter.replaceAll('_', ' ')} is "${given}" as stated; a name in the artifact hints at "${found}".`,
    evidence: { given, found },
  };
}
