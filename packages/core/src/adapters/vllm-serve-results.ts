import type { Fault } from '../errors.ts';
import { noRemarks, type ParsedResult, type ReaderNote, type Reading } from './adapter.ts';
import { ArtifactError, addFaults, maxFaults } from './errors.ts';
import { createRoom, type Room } from './native-requests.ts';
import { tellIgnored } from './plain-facts.ts';
import type { ArtifactText } from './reading/artifact-text.ts';
import type { JsonObject } from './reading/json-records.ts';
import { vllmKey } from './vllm-keys.ts';
import { readServingRecord, type ServingRecord } from './vllm-serve-record.ts';

/** A result object and its place, 1-based and inclusive. */
export interface ServingFields {
  fields: JsonObject;
  from: number;
  to: number;
}

/** Lines of the copies of each record that has any; of a copy itself null. */
export type Copies = ReadonlyMap<JsonObject, readonly number[] | null>;

/** A run ends at one instant with figures of sixteen digits: objects that share all of them tell of one run. */
function identity(fields: JsonObject): string | null {
  const figures = Object.entries(fields).filter(([key]) => vllmKey(key).kind === 'metric');
  if (fields.duration === undefined && fields.mean_ttft_ms === undefined) return null;
  figures.sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([fields.date ?? null, fields.run_number ?? null, fields.num_prompts ?? null, figures]);
}

/** Finds records that stand in an artifact more than once: runs of a sweep, and again in its summary. */
export function findCopies(records: readonly ServingFields[]): Copies {
  const firsts = new Map<string, number[]>();
  const copies = new Map<JsonObject, readonly number[] | null>();
  for (const { fields, from } of records) {
    const key = identity(fields);
    if (key === null) continue;
    const lines = firsts.get(key);
    if (lines === undefined) {
      const own: number[] = [];
      firsts.set(key, own);
      copies.set(fields, own);
    } else {
      if (lines.length < 20) lines.push(from);
      copies.set(fields, null);
    }
  }
  return copies;
}

const copied = (lines: readonly number[]): ReaderNote => ({
  code: 'identical_record',
  severity: 'info',
  message: `The same run stands in the artifact again, on line ${lines[0]}; it is one result.`,
  evidence: { lines: [...lines] },
});

const rooms = new WeakMap<ArtifactText, Room>();

/** Takes the requests of a record out of the room of its artifact. */
function occupy(artifact: ArtifactText, { requests, lines }: ParsedResult): void {
  const room = rooms.get(artifact) ?? createRoom();
  rooms.set(artifact, room);
  room.requests -= requests?.length ?? 0;
  for (const { gapsMs } of requests ?? []) room.gaps -= gapsMs?.length ?? 0;
  if (room.requests >= 0 && room.gaps >= 0) return;
  const { requests: most, gaps } = createRoom();
  const message = `The artifact holds more than the ${most} requests, or the ${gaps} gaps between chunks, that are accepted at once.`;
  const hint = 'Send it in parts, or without --save-detailed.';
  throw new ArtifactError([{ code: 'requests_too_many', line: lines.from, message, hint }]);
}

/** Reads result objects, copies left out. Throws `ArtifactError` with the faults of all of them. */
export function readServingRecords(
  artifact: ArtifactText,
  records: readonly ServingFields[],
  copies: Copies = new Map(),
): Reading {
  const faults: Fault[] = [];
  const results: ParsedResult[] = [];
  const ignored = new Set<string>();
  let tool: ServingRecord['tool'] | null = null;
  for (const { fields, from, to } of records) {
    if (faults.length >= maxFaults) break;
    const again = copies.get(fields);
    if (again === null) continue;
    try {
      const { result, tool: own, ignored: unused } = readServingRecord(fields, { from, to });
      occupy(artifact, result);
      tool ??= own;
      for (const name of unused) ignored.add(name);
      if (again !== undefined && again.length > 0) result.notes.push(copied(again));
      results.push(result);
    } catch (error) {
      if (!(error instanceof ArtifactError)) throw error;
      addFaults(faults, error.faults);
    }
  }
  if (faults.length > 0) throw new ArtifactError(faults);
  return {
    tool: tool ?? { name: 'vllm bench serve', version: null },
    results,
    ignored: tellIgnored(ignored),
    ...noRemarks,
  };
}
