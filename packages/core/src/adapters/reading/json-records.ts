import type { Claim } from '../adapter.ts';
import type { ArtifactText } from './artifact-text.ts';
import { countBefore } from './by-line.ts';
import type { JsonValue } from './json.ts';
import { remembered } from './remembered.ts';

// Several adapters read JSON records with this file.

export type JsonObject = { [key: string]: JsonValue };

/** An object of an artifact, as a document of its own or as an item of an array. Lines are those of its document. */
export interface JsonRecord {
  value: JsonObject;
  /** 1-based, inclusive. */
  from: number;
  to: number;
  /** Where it stands in its document: "" or "/3". */
  pointer: string;
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True if an object has every one of the names. */
export function hasAll(value: JsonObject, names: readonly string[]): boolean {
  for (const name of names) if (!Object.hasOwn(value, name)) return false;
  return true;
}

export function hasAny(value: JsonObject, names: readonly string[]): boolean {
  for (const name of names) if (Object.hasOwn(value, name)) return true;
  return false;
}

/** How many of the names an object has. */
export function countNames(value: JsonObject, names: readonly string[]): number {
  let count = 0;
  for (const name of names) if (Object.hasOwn(value, name)) count++;
  return count;
}

/** Every object that `accepts` says is wanted, in order of appearance. */
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

/** Whose an object is: `whole` records show whose file it is, `likely` ones count only beside such. */
export type Likeness = 'whole' | 'likely' | null;

/**
 * A finder of one tool's records, which remembers what it found in an artifact. One whole record shows whose file it is;
 * others may then lack a field, which is a fault of theirs and no reason to pass over them.
 */
export function recordFinder(likeness: (value: JsonObject) => Likeness): (artifact: ArtifactText) => JsonRecord[] {
  return remembered((artifact) => {
    let isOurs = false;
    const candidates = findRecords(artifact, (value) => {
      const like = likeness(value);
      if (like === 'whole') isOurs = true;
      return like !== null;
    });
    return isOurs ? candidates : [];
  });
}

/** Records one after another are one claim, so that other tools' text between them stays theirs. */
export function toClaims(adapter: string, records: readonly { from: number; to: number }[]): Claim[] {
  const claims: Claim[] = [];
  for (const { from, to } of records) {
    const last = claims.at(-1);
    if (last !== undefined && from <= last.to + 1) last.to = Math.max(last.to, to);
    else claims.push({ adapter, from, to });
  }
  return claims;
}

/** The records of a claim, looked up by halving. They are sorted by line. */
export function within<R extends { from: number }>(records: readonly R[], claim: Claim): R[] {
  return records.slice(countBefore(records, claim.from), countBefore(records, claim.to + 1));
}

// The same under the names that the readers of llama.cpp's tools use.
export { toClaims as toRecordClaims, within as recordsOf };
