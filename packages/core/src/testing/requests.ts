import { nothingRecorded, type RequestRecord } from '../records.ts';

/** A request of which nothing is recorded but what is said. */
export function makeRequest(over: Partial<RequestRecord> = {}): RequestRecord {
  return { ...nothingRecorded, ...over };
}
