import { createRecentMap } from '../middleware/recent-map.ts';
import type { ContentCoding } from './buffered-response.ts';

/** Many clients send the same few `Accept-Encoding` values. */
const choices = createRecentMap<{ coding: ContentCoding | null }>(200);

function choose(accepted: string): ContentCoding | null {
  const weights = new Map<string, number>();
  for (const part of accepted.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim());
    const q = parameters.find((text) => text.startsWith('q='));
    const weight = q === undefined ? 1 : Number(q.slice(2));
    if (name !== '' && weight >= 0 && weight <= 1) weights.set(name, weight);
  }
  const weightOf = (name: string) => weights.get(name) ?? weights.get('*') ?? 0;
  const [best] = (['br', 'gzip'] as const).toSorted((a, b) => weightOf(b) - weightOf(a));
  return best !== undefined && weightOf(best) > 0 && weightOf(best) >= (weights.get('identity') ?? 0) ? best : null;
}

/** The client's preferred coding among the supported ones; our order decides ties. */
export function chooseCoding(accepted: string | undefined): ContentCoding | null {
  if (accepted === undefined || accepted === '') return null;
  // Do not cache choices for unusually long headers.
  if (accepted.length > 200) return choose(accepted);
  const known = choices.get(accepted);
  if (known !== undefined) return known.coding;
  const coding = choose(accepted);
  choices.set(accepted, { coding });
  return coding;
}
