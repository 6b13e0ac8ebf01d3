import type { Fact } from '../adapters/adapter.ts';
import { isWaived } from '../catalogue/names/normalise.ts';
import type { Finding } from '../checks/check.ts';
import type { Fault } from '../errors.ts';
import { unspecified } from '../subjects/system.ts';

/** The outcome for one fact: its value, and conflicts between the caller and the artifact. */
export interface Merged<T> {
  value: T | null;
  fault?: Fault;
  finding?: Finding;
}

const isWithheld = (value: unknown) => typeof value === 'string' && isWaived(value);

/** Normalizes the capitalization of `unspecified`. */
const spelled = <T extends string | number>(value: T | null): T | null =>
  isWithheld(value) ? (unspecified as T) : value;

/**
 * Merges the caller's fact with the artifact's. If the caller sends `unspecified`, the artifact's fact or hint is used, with a
 * finding. The caller's fact overrides a hint and adds a finding. A contradicting stated fact is a fault, never a silent choice.
 *
 * @param agree returns the more exact of two spellings with the same meaning, or null for a contradiction
 */
export function mergeFact<T extends string | number>(
  parameter: string,
  given: T | undefined,
  fact: Fact<T> | null,
  agree: (given: T, found: T) => T | null = (a, b) => (a === b ? a : null),
): Merged<T> {
  if (fact === null || isWithheld(fact.value)) return { value: spelled(given ?? fact?.value ?? null) };
  if (given === undefined || isWithheld(given)) {
    if (fact.origin !== 'inferred')
      return given === undefined ? { value: fact.value } : { value: fact.value, finding: notReplaced(parameter) };
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
      message: `${parameter}=${given} was given, but the artifact has "${fact.value}".`,
      hint: `Omit ${parameter} to use the value in the artifact, or submit the artifact that belongs to "${given}".`,
    },
  };
}

const suffixNotReplaced = '_not_replaced';

/** The finding for `unspecified` where the artifact states the fact. The value may contain a path, and findings are public. */
function notReplaced(parameter: string): Finding {
  const fact = parameter.replaceAll('_', ' ');
  return {
    code: `${parameter}${suffixNotReplaced}`,
    severity: 'info',
    message: `The ${fact} is the one that the artifact states: ${parameter}=${unspecified} does not replace it.`,
    evidence: { given: unspecified },
  };
}

/** True for a finding about a fact that the caller sent in vain. */
export const isNotReplaced = ({ code }: Pick<Finding, 'code'>): boolean => code.endsWith(suffixNotReplaced);

function hint(parameter: string, value: string | number): Finding {
  return {
    code: `${parameter}_inferred`,
    severity: 'info',
    message: `The ${parameter.replaceAll('_', ' ')} was inferred from the artifact: "${value}". If it is different, state it.`,
    evidence: { [parameter]: value },
  };
}

/** The finding for a caller's fact that overrides a hint in the artifact. */
export function overridden(parameter: string, given: string | number, found: string | number): Finding {
  return {
    code: `${parameter}_hint_differs`,
    severity: 'info',
    message: `The ${parameter.replaceAll('_', ' ')} is "${given}" as stated, but a name in the artifact suggests "${found}".`,
    evidence: { given, found },
  };
}
