import { findMisspelt, type NamedFact } from '@inferboard/core/catalogue/misspelt-facts';

/** The options whose names are probably misspelt, with the closest names. */
export const describeMisspelt = (given: Partial<Record<NamedFact, string>>): string[] =>
  findMisspelt(given).map(
    ({ fact, name, suggestions }) =>
      `--${fact}: "${name}" is not in the catalogue. Closest: ${suggestions.join(', ')}. To keep the name, add --unknown-facts keep.`,
  );
