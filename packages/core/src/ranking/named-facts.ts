import type { Filters } from '../filters/filters.ts';
import type { Dimension } from './subject.ts';

/** Facts of a system that a sender may leave unspecified, as reason codes for omitted points. */
export const unspecifiedReasons = ['unspecified_model', 'unspecified_gpu', 'unspecified_quantization'] as const;

export type UnspecifiedReason = (typeof unspecifiedReasons)[number];

/** Subjects that depend on the system. Two systems that both omit a fact may still differ in it. */
const ofSystems: ReadonlySet<Dimension> = new Set(['system', 'model', 'model_family', 'gpu', 'gpu_count']);

/** True if subjects may be compared among systems that omit a fact, within one account. */
export const comparesWithinAccount = (dimensions: readonly Dimension[]) =>
  !dimensions.some((dimension) => ofSystems.has(dimension));

/**
 * Returns the facts that a system must name to be on a board. A board of models, GPUs or systems requires all of them. A
 * board of quantizations or engines requires the quantization if it is the subject. Systems that omit another fact are
 * compared within one account only.
 */
export function factsToName(
  dimensions: readonly Dimension[],
  { account }: Pick<Filters, 'account'>,
): readonly UnspecifiedReason[] {
  if (account?.length !== 1 || !comparesWithinAccount(dimensions)) return unspecifiedReasons;
  return dimensions.includes('quantization') ? ['unspecified_quantization'] : [];
}
