import type { JsonValue } from '../reading/documents/json.ts';

/** The figures of one run by the tool's names: a printed block or a row of its CSV. Lines are 1-based and inclusive. */
export interface MlcReport {
  from: number;
  to: number;
  /** Counts, rates and the duration: `num_gpus`, `request_throughput`. */
  values: ReadonlyMap<string, number>;
  /** Statistics of each quantity: `time_to_first_token_s`, `input_tokens`. */
  statistics: ReadonlyMap<string, Record<string, JsonValue>>;
  /** 0 if the times are printed in ms, 3 if they are in s. */
  places: 0 | 3;
  sent: MlcSent | null;
  /** Names and labels that have no use. */
  ignored: string[];
  isTruncated: boolean;
}

/** How the requests were sent, as the tool states it. A rate may be infinite; `replay` uses the times of the data set. */
export type MlcSent = { kind: 'concurrency' | 'rate'; level: number } | { kind: 'replay' };
