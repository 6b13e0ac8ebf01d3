import { shapeTitle } from './shape-title.ts';
import { parseWorkload } from './workload-id.ts';

/** The display name of a workload: "Chatbot, steady", "1K to 1K, burst", "tg128, load not stated". */
export function workloadTitle(id: string): string {
  const { shape, regime } = parseWorkload(id);
  const title = shapeTitle(shape);
  if (regime === null) return title;
  return `${title}, ${regime === 'unspecified' ? 'load not stated' : regime}`;
}
