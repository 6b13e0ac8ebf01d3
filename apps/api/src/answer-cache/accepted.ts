import { createRecentMap } from '../middleware/recent-map.ts';
import type { Coding } from './answer.ts';

/** Many clients send the same few `Accept-Encoding` values. */
const chosen = createRecentMap<{ coding: Coding | null }>(200);

function choose(accepted: string): Coding | null {
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
export function chooseCoding(accepted: string | undefined): Coding | null {
  if (accepted === undefined || accepted === '') return null;
  // Do not cache choices for unusually long headers.
  if (accepted.length > 200) return choose(accepted);
  const known = chosen.get(accepted);
  if (known !== undefined) return known.coding;
  const coding = choose(accepted);
  chosen.set(accepted, { coding });
  return coding;
}

/** Strips the coding from a tag. A list of tags may name the same bytes without a coding or with the coding they were sent in. */
const coreOf = (tag: string) => tag.replace(/-(?:br|gzip)"$/, '"');
const tagsOf = (header: string) => header.match(/(?:W\/)?"[^"]*"/g) ?? [];

/** True if `If-None-Match` names this tag. This is a weak comparison. */
export function isKnown(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header === tag || header.trim() === '*') return true;
  return tagsOf(header).some((known) => known.replace(/^W\//, '') === tag);
}

/** True if `If-Match` names the current version of the resource in any coding. Weak tags never match. */
export function isNamed(header: string, current: string): boolean {
  return header.trim() === '*' || tagsOf(header).some((tag) => coreOf(tag) === coreOf(current));
}
