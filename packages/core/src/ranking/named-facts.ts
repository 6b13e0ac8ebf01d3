import type { Filters } from '../filters/filters.ts';
import type { Dimension } from './subject.ts';

/** Facts of a system that a sender may leave unspecified, as the reasons that count points left out for them. */
export const unspecifiedReasons = ['unspecified_model', 'unspecified_gpu', 'unspecified_quantization'] as const;

export type UnspecifiedReason = (typeof unspecifiedReasons)[number];

/** Subjects that a system stands for: two systems that leave a fact out need not have it in common. */
const ofSystems: ReadonlySet<Dimension> = new Set(['system', 'model', 'model_family', 'gpu', 'gpu_count']);

/** Whether what has one entry each may be compared among systems that leave a fact out, within one account. */
export const comparesWithinAccount = (dimensions: readonly Dimension[]) =>
  !dimensions.some((dimension) => ofSystems.has(dimension));

/**
 * The facts that a system must name to stand on a board. A board of models, GPUs or systems needs all of them. A board of
 * quantizations or engines needs the quantization where it is the subject; systems that leave another fact out are
 * compared within one account only.
 */
export function factsToName(
  dimensions: readonly Dimension[],
  { account }: Pick<Filters, 'account'>,
): readonly UnspecifiedReason[] {
  if (account?.length !== 1 || !comparesWithinAccount(dimensions)) return unspecifiedReasons;
  return dimensions.includes('quantization') ? ['unspecified_quantization'] : [];
}
