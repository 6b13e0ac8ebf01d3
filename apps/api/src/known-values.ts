import {
  findNamedScenario,
  resolveEngine,
  resolveGpu,
  resolveModel,
  resolveQuantization,
} from '@inferboard/core/catalogue/index';
import { DomainError, type Fault } from '@inferboard/core/errors';
import type { Filters, Match } from '@inferboard/core/filters/filters';
import { nameExists, scenarioExists } from '@inferboard/db/queries/name-exists';
import type { Queryable } from '@inferboard/db/transaction';

type Kind = 'model' | 'quantization' | 'gpu' | 'engine';

const suggest: Record<Kind, (text: string) => { suggestions: readonly string[] }> = {
  model: resolveModel,
  quantization: (text) => resolveQuantization(text),
  gpu: resolveGpu,
  engine: resolveEngine,
};

function unknownValue(parameter: string, value: string, suggestions: readonly string[]): Fault {
  return {
    code: 'value_unknown',
    parameter,
    message: `Nothing is known or was ever submitted as ${parameter} "${value}".`,
    hint:
      suggestions.length === 0
        ? `GET /v1/catalogue/${parameter}s lists what is known.`
        : `Did you mean ${suggestions.join(', ')}?`,
  };
}

/**
 * Refuses filter values that neither the catalogue nor any submission knows: an empty answer would hide a typing error.
 *
 * @throws DomainError `request_invalid` naming each such value with the nearest known ones
 */
export async function requireKnownValues(
  db: Queryable,
  filters: Filters,
  given: { [K in Kind | 'scenario']?: string[] | undefined },
): Promise<void> {
  const faults: Fault[] = [];
  for (const kind of ['model', 'quantization', 'gpu', 'engine'] as const) {
    for (const [index, match] of (filters[kind] ?? ([] as Match[])).entries()) {
      const text = given[kind]?.[index] ?? '';
      if (match.by === 'name' && !(await nameExists(db, kind, match.key))) {
        faults.push(unknownValue(kind, text, suggest[kind](text).suggestions));
      }
    }
  }
  for (const name of filters.scenario ?? []) {
    if (name === 'custom' || findNamedScenario(name) !== null || (await scenarioExists(db, name))) continue;
    faults.push(unknownValue('scenario', name, []));
  }
  if (faults.length > 0) throw new DomainError('request_invalid', 'The query is not valid.', faults);
}
