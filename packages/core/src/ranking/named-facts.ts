import type { Filters } from '../filters/filters.ts';
import { unspecified } from '../system.ts';
import { numbered } from './numbered.ts';
import type { PointTable, SystemKeys } from './point-table.ts';
import { type RowSet, rowsOfCodes } from './row-set.ts';
import type { Dimension } from './subject.ts';

/** Facts of a system that a sender may leave unspecified, with the reason that counts rows left out for it. */
const facts = {
  unspecified_model: (s) => s.modelId === null && s.modelFamily === null && s.modelKey === unspecified,
  unspecified_gpu: (s) => s.gpuId === null && s.gpuFamily === null && s.gpuKey === unspecified,
  unspecified_quantization: (s) => s.quantizationId === null && s.quantizationKey === unspecified,
} satisfies Record<string, (system: SystemKeys) => boolean>;

export type UnspecifiedReason = keyof typeof facts;

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
  const all = Object.keys(facts) as UnspecifiedReason[];
  if (account?.length !== 1 || !comparesWithinAccount(dimensions)) return all;
  return dimensions.includes('quantization') ? ['unspecified_quantization'] : [];
}

/** Rows of systems that leave a fact unspecified. */
export function rowsUnspecified(table: PointTable, reason: UnspecifiedReason): RowSet {
  const { codes, keys } = numbered(table.systems, reason, (system) => (facts[reason](system) ? '1' : '0'));
  const isOut = Uint8Array.from({ length: table.systems.length }, (_, place) =>
    Number(keys[codes[place] as number] === '1'),
  );
  return rowsOfCodes(table.system, isOut, table.length);
}
