import { formatLoad, type Load } from '@inferboard/core/subjects/load';
import { unspecifiedShape } from '@inferboard/core/workloads/shape-name';
import { parseWorkload } from '@inferboard/core/workloads/workload-id';

/** A workload and its load: "chatbot, 16 concurrent". The shape and the regime of an unknown one are both "unspecified". */
export function workloadText(id: string, load: { mode: Load['mode']; level: number | null }): string {
  const name = parseWorkload(id).shape === unspecifiedShape ? 'workload not stated' : id;
  return `${name}, ${formatLoad(load)}`;
}
