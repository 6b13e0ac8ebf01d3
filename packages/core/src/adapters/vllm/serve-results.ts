import { noRemarks, type ParsedResult, type ReaderNote, type Reading } from '../adapter.ts';
import { ArtifactError } from '../errors.ts';
import { createRecordBudget } from '../native/requests.ts';
import type { JsonObject } from '../reading/documents/json-records.ts';
import { readEach } from '../reading/tables/read-each.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import { vllmKey } from './keys.ts';
import { readServingRecord, type ServingRecord } from './serve-record.ts';

/** A result object and its lines, 1-based and inclusive. */
export interface ServingFields {
  fields: JsonObject;
  from: number;
  to: number;
}

/** Lines of the copies of each record that has any; null for the copies themselves. */
export type Copies = ReadonlyMap<JsonObject, readonly number[] | null>;

/** Values that two objects of one run must share; null if the object has too few values to compare. */
function likeness({ duration, mean_ttft_ms, date, run_number, num_prompts }: JsonObject): string | null {
  if (duration === undefined && mean_ttft_ms === undefined) return null;
  return JSON.stringify([
    date ?? null,
    run_number ?? null,
    num_prompts ?? null,
    duration ?? null,
    mean_ttft_ms ?? null,
  ]);
}

/** A run ends at one time and has figures of sixteen digits, so objects with all figures equal are from one run. */
function identity(fields: JsonObject): string {
  const figures = Object.entries(fields).filter(([key]) => vllmKey(key).kind === 'metric');
  figures.sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(figures);
}

/** Finds duplicate records in an artifact: runs of a sweep that its summary repeats. */
export function findCopies(records: readonly ServingFields[]): Copies {
  const copies = new Map<JsonObject, readonly number[] | null>();
  for (const [like, alike] of Map.groupBy(records, ({ fields }) => likeness(fields))) {
    if (like === null || alike.length === 1) continue;
    for (const [first, ...others] of Map.groupBy(alike, ({ fields }) => identity(fields)).values()) {
      if (first !== undefined && others.length > 0)
        copies.set(
          first.fields,
          others.slice(0, 20).map(({ from }) => from),
        );
      for (const { fields } of others) copies.set(fields, null);
    }
  }
  return copies;
}

const copied = (lines: readonly number[]): ReaderNote => ({
  code: 'identical_record',
  severity: 'info',
  message: `The same run occurs again in the artifact, on line ${lines[0]}; it is one result.`,
  evidence: { lines: [...lines] },
});

const roomOf = cachedPerArtifact(createRecordBudget);

/** Subtracts the requests of a record from the artifact's remaining limit. */
function occupy(artifact: ArtifactText, { requests, lines }: ParsedResult): void {
  const budget = roomOf(artifact);
  budget.requests -= requests?.length ?? 0;
  for (const { gapsMs } of requests ?? []) budget.gaps -= gapsMs?.length ?? 0;
  if (budget.requests >= 0 && budget.gaps >= 0) return;
  const { requests: most, gaps } = createRecordBudget();
  const message = `The artifact has more than the maximum of ${most} requests or ${gaps} gaps between chunks.`;
  const hint = 'Send it in parts, or without --save-detailed.';
  throw new ArtifactError([{ code: 'requests_too_many', line: lines.from, message, hint }]);
}

/** Reads result objects without their copies. Throws `ArtifactError` with the errors of all of them. */
export function readServingRecords(
  artifact: ArtifactText,
  records: readonly ServingFields[],
  copies: Copies = new Map(),
): Reading {
  let tool: ServingRecord['tool'] | null = null;
  const read = readEach(records, records[0]?.from ?? 1, ({ fields, from, to }) => {
    const again = copies.get(fields);
    if (again === null) return null;
    const { result, tool: own, ignored } = readServingRecord(fields, { from, to });
    occupy(artifact, result);
    tool ??= own;
    return {
      result: again === undefined ? result : { ...result, notes: [...result.notes, copied(again)] },
      ignored,
    };
  });
  return { tool: tool ?? { name: 'vllm bench serve', version: null }, ...read, ...noRemarks };
}
