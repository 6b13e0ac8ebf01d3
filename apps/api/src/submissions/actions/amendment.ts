import type { System } from '@inferboard/core/subjects/system';
import { applyMapping, type Mapping } from '@inferboard/core/submission/review';
import type { ReviewRow } from '@inferboard/db/boards/lists/row-types';

/** The mapped names of all results, from this review and earlier ones: a result is checked together with its neighbours. */
export function amendment(
  results: readonly { id: string }[],
  reviews: readonly Pick<ReviewRow, 'results' | 'mapping'>[],
) {
  const byId = new Map<string, Mapping>();
  for (const { results: ids, mapping } of reviews) {
    if (mapping !== null) for (const id of ids) byId.set(id, { ...byId.get(id), ...mapping });
  }
  return (system: System, ordinal: number): System => {
    const mapping = byId.get(results[ordinal]?.id ?? '');
    return mapping === undefined ? system : applyMapping(system, mapping);
  };
}
