import { findMisspelt, type NamedFact } from '@inferboard/core/catalogue/misspelt-facts';
import { noGpuFaults } from './words/no-gpu-faults.ts';

/** The options whose names are probably misspelt, with the closest names. */
export const describeMisspelt = (given: Partial<Record<NamedFact, string>>): string[] => [
  ...noGpuFaults(given.gpu),
  ...findMisspelt(given).map(
    ({ fact, name, suggestions }) =>
      `--${fact}: "${name}" is not in the catalogue. Closest: ${suggestions.join(', ')}. To keep the name, add --unknown-facts keep.`,
  ),
];
