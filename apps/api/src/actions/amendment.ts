import { applyMapping, type Mapping } from '@inferboard/core/submission/review';
import type { System } from '@inferboard/core/system';
import type { ReviewRow } from '@inferboard/db/queries/row-types';

/** Every result's mapped names, of this review and of those before it: a result is judged beside its neighbours. */
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
