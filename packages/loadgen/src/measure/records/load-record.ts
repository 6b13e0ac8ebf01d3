/** How a request ended. Only `ok` ones enter latencies. */
export const outcomes = [
  'ok',
  /** The stream ended without [DONE] and without a finish reason. */
  'truncated',
  /** The stream ended without any text. */
  'empty',
  /** Any other refusal than `http_5xx`, redirects included: none is followed. */
  'http_4xx',
  'http_5xx',
  /** The server stated an error within the stream. */
  'error_event',
  /** What came could not be read. */
  'bad_event',
  'disconnected',
  'timeout',
  'stalled',
  /** Compressed: the time of a token would be that of a block. */
  'encoded',
  'cancelled',
  /** Due and never sent. */
  'dropped',
] as const;
export type Outcome = (typeof outcomes)[number];

/** One request. Times in ms on one monotonic clock since the measurement began; null where it did not come to that. */
export interface RequestRecord {
  /** Which of the plan's bodies it sent. */
  index: number;
  /** When its schedule wanted it sent; null in a closed loop. */
  due_ms: number | null;
  /** Just before its first byte was written, for the first time if it was sent twice. NaN if it was dropped. */
  started_ms: number;
  /** When the kernel had all of it. NaN if it was dropped or never went out. */
  written_ms: number;
  /** Headers of the answer complete. */
  headers_ms: number | null;
  /** First byte of its body. */
  first_byte_ms: number | null;
  /** First event with text that is no reasoning. */
  first_content_ms: number | null;
  first_reasoning_ms: number | null;
  /** Every event that brought text or reasoning. */
  chunks_ms: Float64Array;
  /** `[DONE]`. */
  done_ms: number | null;
  /** The end of the answer, or when it was given up. NaN if it was dropped. */
  closed_ms: number;
  status: number | null;
  outcome: Outcome;
  /** The server's or the network's words for it, at most 200 characters. Of an `ok` request what was odd. */
  outcome_detail: string | null;
  /** As the server's usage states it. */
  prompt_tokens: number | null;
  /** The same; null also if it is implausible: far more than requested, or none for a response with text. */
  output_tokens: number | null;
  /** The same, whether or not it can be. */
  stated_tokens: number | null;
  /** Of the prompt, from the server's prefix cache. */
  cached_tokens: number | null;
  chunk_count: number;
  finish_reason: string | null;
  /** True if the connection had carried another request before. */
  reused_connection: boolean;
  /** True if it was sent again on a new connection, the server having closed the first before a byte of its answer. */
  retried: boolean;
}

/** What the load generator reports about itself. Of several threads the worst, or the sum if a field states so. */
export interface SelfCheck {
  threads: number;
  /** Share of the run during which the loop was not waiting, 0..1; waiting for a due time is waiting. */
  loop_utilisation: number;
  /** Sum over the threads. */
  cpu_s: number;
  /** Time that the threads waited for a core, sum; null if the system does not report it. */
  scheduler_wait_ms: number | null;
  /** Longest time between the first read after a wait and the end of that batch of reads, and the tokens in it. */
  batch_ms_max: number;
  batch_events_max: number;
  /** Batch length that holds 99 % of tokens in no longer ones: a bound on how late their stamps may be. */
  batch_ms_p99: number;
  /** Share of the reads with tokens that held more than one, because the server sent them together or we read late. */
  coalesced_share: number;
  /**
   * Share of the reads with tokens that held more than one because of the load generator: they came while a thread may
   * have been late by half a mean gap or more (its own work, no core, a stopped process), minus the share that the
   * server sends together. The system does not report when bytes reach a socket, so this is an estimate.
   */
  late_share: number;
  /** From when a request could be sent to when it was. */
  send_lag_ms_p50: number | null;
  send_lag_ms_p99: number | null;
  send_lag_ms_max: number | null;
  /** Sum. */
  gc_ms: number;
  connections_opened: number;
  /** Median gap between the chunks of the answers that were ok; null without any. */
  itl_ms_p50: number | null;
  /** The same of the gaps that are not 0, between chunks that came in different reads. */
  read_gap_ms_p50: number | null;
  /** True if the figures may be the generator's and not the server's. */
  client_limited: boolean;
  /** Why, in words with the figures. */
  reasons: string[];
}

/** How several workers shared the requests of a measurement. */
export interface SharedBy {
  /** Workers that the plan asks for, and those that sent requests. */
  wanted: number;
  count: number;
  /** Maximum difference between the clocks of two of them; null for one worker. */
  clock_error_ms: number | null;
  /** Why there were fewer than the plan asks for; null if there were not. */
  shortage: string | null;
}

export interface LoadRecord {
  /** In the order of the plan; requests that a limit kept from becoming due are not among them. */
  requests: RequestRecord[];
  self: SelfCheck;
  /** True where answers were documents, not streams: they have an end, and no chunks. */
  documents?: true;
  /** True if a response stated that it is simulated: no model was measured. */
  simulated: boolean;
  /** True where too many failures in a row ended it. */
  given_up: boolean;
  /** The zero of all times, by the wall clock. */
  started_at_unix_ms: number;
  /** The same by the system's monotonic clock, for comparing with other programs on this machine. */
  started_at_monotonic_ms: number;
  /** To the end of the last request. */
  duration_ms: number;
  /** Of a run whose plan asks for several workers. */
  workers?: SharedBy;
}
