import type { Claim } from './adapter.ts';
import type { ArtifactText } from './reading/artifact-text.ts';
import { countBefore } from './reading/by-line.ts';
import type { JsonValue } from './reading/json.ts';

export type JsonObject = { [key: string]: JsonValue };

/** One object of an artifact: a document, or an item of an array of such. Lines are 1-based and inclusive. */
export interface FoundObject {
  value: JsonObject;
  from: number;
  to: number;
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** How many of the names an object has. */
export function countNames(value: JsonObject, names: readonly string[]): number {
  return names.filter((name) => Object.hasOwn(value, name)).length;
}

/** Whose an object is: `whole` ones show whose file it is, `likely` ones count only beside such. */
export type Likeness = 'whole' | 'likely' | null;

/**
 * A finder of one tool's objects, which remembers what it found in an artifact. One whole object shows whose file it is;
 * others may then lack a field, which is a fault of theirs and no reason to pass over them.
 */
export function objectFinder(likeness: (value: JsonObject) => Likeness): (artifact: ArtifactText) => FoundObject[] {
  const found = new WeakMap<ArtifactText, FoundObject[]>();
  return (artifact) => {
    const before = found.get(artifact);
    if (before !== undefined) return before;
    const candidates: FoundObject[] = [];
    let isOurs = false;
    for (const { value, from, to } of artifact.json.documents) {
      for (const item of Array.isArray(value) ? value : [value]) {
        const like = isJsonObject(item) ? likeness(item) : null;
        if (!isJsonObject(item) || like === null) continue;
        candidates.push({ value: item, from, to });
        if (like === 'whole') isOurs = true;
      }
    }
    const objects = isOurs ? candidates : [];
    found.set(artifact, objects);
    return objects;
  };
}

/** Stretches one after another are one claim, so that other tools' text between them stays theirs. */
export function joinClaims(adapter: string, stretches: readonly { from: number; to: number }[]): Claim[] {
  const claims: Claim[] = [];
  for (const { from, to } of stretches) {
    const last = claims.at(-1);
    if (last !== undefined && from <= last.to + 1) last.to = Math.max(last.to, to);
    else claims.push({ adapter, from, to });
  }
  return claims;
}

/** Those that begin within a claim, looked up by halving; they are sorted by line. */
export function withinClaim<T extends { from: number }>(items: readonly T[], claim: Claim): T[] {
  return items.slice(countBefore(items, claim.from), countBefore(items, claim.to + 1));
}
