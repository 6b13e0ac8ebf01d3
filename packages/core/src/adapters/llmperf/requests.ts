import type { Fault } from '../../errors.ts';
import { nothingRecorded, type RequestRecord } from '../../records.ts';
import { addFaults, maxFaults } from '../errors.ts';
import type { JsonValue } from '../reading/documents/json.ts';
import { hasAll, isObject, type JsonObject } from '../reading/documents/json-records.ts';
import { shiftDecimal } from '../reading/figures/numbers.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';

/** A file of single requests. Lines are 1-based and inclusive. */
export interface RequestFile {
  items: JsonValue[];
  from: number;
  to: number;
}

const required = ['error_code', 'ttft_s', 'end_to_end_latency_s', 'number_output_tokens'];
const used = new Set([...required, 'number_input_tokens']);

/** All request lists in an artifact. One complete request identifies the tool. */
export const findRequestFiles = cachedPerArtifact((artifact): RequestFile[] => {
  const files: RequestFile[] = [];
  for (const { value, from, to } of artifact.json.documents) {
    if (!Array.isArray(value)) continue;
    if (value.some((item) => isObject(item) && hasAll(item, required))) files.push({ items: value, from, to });
  }
  return files;
});

const isAmount = (value: JsonValue | undefined): value is number | null =>
  value === null || value === undefined || (typeof value === 'number' && value >= 0 && Number.isFinite(value));
const isCount = (value: JsonValue | undefined) => isAmount(value) && Number.isSafeInteger(value ?? 0);

/** The errors of a request: one for each unreadable figure. */
function itemFaults(item: JsonObject, index: number, line: number): Fault[] {
  const fault = (name: string, expected: string): Fault => {
    const pointer = `/${index}/${name}`;
    return { code: 'value_invalid', line, pointer, message: `${pointer}: expected ${expected}, or null` };
  };
  return [
    ...['ttft_s', 'end_to_end_latency_s'].filter((name) => !isAmount(item[name])).map((name) => fault(name, 'seconds')),
    ...['number_input_tokens', 'number_output_tokens']
      .filter((name) => !isCount(item[name]))
      .map((name) => fault(name, 'a number of tokens')),
  ];
}

/** Seconds of a response as ms. The tool writes 0 for a missing value. */
function toMs(value: JsonValue | undefined): number | null {
  return typeof value === 'number' && value > 0 ? shiftDecimal(value, 3) : null;
}

const toCount = (value: JsonValue | undefined) => (typeof value === 'number' ? value : null);

/** The kind of failure: an HTTP status. The message may contain an address or a prompt. */
function toError(code: JsonValue | undefined): string | null {
  if (code === null || code === undefined) return null;
  return Number.isSafeInteger(code) ? `error ${String(code)}` : 'failed';
}

function toRequest(item: JsonObject): RequestRecord {
  const error = toError(item.error_code);
  const inputTokens = toCount(item.number_input_tokens);
  // The figures of a failed request are zeros.
  if (error !== null) return { ...nothingRecorded, inputTokens: inputTokens || null, error };
  return {
    ...nothingRecorded,
    inputTokens,
    outputTokens: toCount(item.number_output_tokens),
    ttftMs: toMs(item.ttft_s),
    e2eMs: toMs(item.end_to_end_latency_s),
  };
}

/** Reads a list of requests. Errors and unused names are added to the lists. */
export function readRequests({ items, from }: RequestFile, faults: Fault[], ignored: Set<string>): RequestRecord[] {
  const requests: RequestRecord[] = [];
  for (const [index, item] of items.entries()) {
    if (faults.length >= maxFaults) break;
    if (!isObject(item)) {
      const pointer = `/${index}`;
      addFaults(faults, [{ code: 'value_invalid', line: from, pointer, message: `${pointer}: expected an object` }]);
      continue;
    }
    addFaults(faults, itemFaults(item, index, from));
    for (const name of Object.keys(item)) if (!used.has(name)) ignored.add(name);
    requests.push(toRequest(item));
  }
  return requests;
}
