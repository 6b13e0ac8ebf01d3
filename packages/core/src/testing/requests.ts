import { nothingRecorded, type RequestRecord } from '../records.ts';

/** A request with only the given fields recorded. */
export function makeRequest(over: Partial<RequestRecord> = {}): RequestRecord {
  return { ...nothingRecorded, ...over };
}
