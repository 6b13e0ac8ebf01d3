import type { Claim } from '../../adapter.ts';
import type { ArtifactText } from '../text/artifact-text.ts';
import { countBefore } from '../text/by-line.ts';
import { cachedPerArtifact } from '../text/cached-per-artifact.ts';
import type { JsonValue } from './json.ts';

// Several adapters use this file to read JSON records.

export type JsonObject = { [key: string]: JsonValue };

/** An object of an artifact: a document, or an item of an array. Lines are those of the document. */
export interface JsonRecord {
  value: JsonObject;
  /** 1-based, inclusive. */
  from: number;
  to: number;
  /** JSON pointer in its document: "" or "/3". */
  pointer: string;
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object, or an empty one for any other value. */
export const objectOf = (value: JsonValue | undefined): JsonObject => (isObject(value) ? value : {});

/** True if an object has all of the names. */
export function hasAll(value: JsonObject, names: readonly string[]): boolean {
  for (const name of names) if (!Object.hasOwn(value, name)) return false;
  return true;
}

export function hasAny(value: JsonObject, names: readonly string[]): boolean {
  for (const name of names) if (Object.hasOwn(value, name)) return true;
  return false;
}

/** Number of the names that an object has. */
export function countNames(value: JsonObject, names: readonly string[]): number {
  let count = 0;
  for (const name of names) if (Object.hasOwn(value, name)) count++;
  return count;
}

/** All objects that `accepts` selects, in order of appearance. */
export function findRecords(artifact: ArtifactText, accepts: (value: JsonObject) => boolean): JsonRecord[] {
  const records: JsonRecord[] = [];
  for (const { value, from, to } of artifact.json.documents) {
    if (!Array.isArray(value)) {
      if (isObject(value) && accepts(value)) records.push({ value, from, to, pointer: '' });
      continue;
    }
    for (let index = 0; index < value.length; index++) {
      const item = value[index];
      if (isObject(item) && accepts(item)) records.push({ value: item, from, to, pointer: `/${index}` });
    }
  }
  return records;
}

/** How certain the tool of an object is: `whole` records identify it, `likely` ones count only next to a `whole` one. */
export type Likeness = 'whole' | 'likely' | null;

/**
 * A finder of one tool's records, cached per artifact. One whole record identifies the file. Other records may then lack a
 * field, which is an error and not a reason to skip them.
 */
export function recordFinder(likeness: (value: JsonObject) => Likeness): (artifact: ArtifactText) => JsonRecord[] {
  return cachedPerArtifact((artifact) => {
    let isOurs = false;
    const candidates = findRecords(artifact, (value) => {
      const like = likeness(value);
      if (like === 'whole') isOurs = true;
      return like !== null;
    });
    return isOurs ? candidates : [];
  });
}

/** Consecutive records are one claim, so that text of other tools between them is not claimed. */
export function toClaims(adapter: string, records: readonly { from: number; to: number }[]): Claim[] {
  const claims: Claim[] = [];
  for (const { from, to } of records) {
    const last = claims.at(-1);
    if (last !== undefined && from <= last.to + 1) last.to = Math.max(last.to, to);
    else claims.push({ adapter, from, to });
  }
  return claims;
}

/** The records of a claim, found by binary search. They are sorted by line. */
export function within<R extends { from: number }>(records: readonly R[], claim: Claim): R[] {
  return records.slice(countBefore(records, claim.from), countBefore(records, claim.to + 1));
}
