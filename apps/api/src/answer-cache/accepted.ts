import { createRecentMap } from '../middleware/recent-map.ts';
import type { Coding } from './answer.ts';

/** Clients are many, and what they accept is the same few lines. */
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

/** The coding a client prefers, of those we have; ours first where it is indifferent. */
export function chooseCoding(accepted: string | undefined): Coding | null {
  if (accepted === undefined || accepted === '') return null;
  // A header of kilobytes is nobody's usual one.
  if (accepted.length > 200) return choose(accepted);
  const known = chosen.get(accepted);
  if (known !== undefined) return known.coding;
  const coding = choose(accepted);
  chosen.set(accepted, { coding });
  return coding;
}

/** Names that a list of tags may call the same bytes by: bare, or with the coding they left in. */
const coreOf = (tag: string) => tag.replace(/-(?:br|gzip)"$/, '"');
const tagsOf = (header: string) => header.match(/(?:W\/)?"[^"]*"/g) ?? [];

/** True if `If-None-Match` names this tag; there weak tags are as good as strong ones. */
export function isKnown(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header === tag || header.trim() === '*') return true;
  return tagsOf(header).some((known) => known.replace(/^W\//, '') === tag);
}

/** True if `If-Match` names the resource as it is, in whatever coding it was read. Weak tags never match. */
export function isNamed(header: string, current: string): boolean {
  return header.trim() === '*' || tagsOf(header).some((tag) => coreOf(tag) === coreOf(current));
}
