/** Percentiles of a latency so far; null where the sample is too small. */
export interface LiveLatency {
  n: number;
  p50: number | null;
  p90: number | null;
  p95: number | null;
  p99: number | null;
}

/** The figures of the point that a run measures now. Published figures are computed from its records at its end. */
export interface LiveFigures {
  at: string;
  /** Key of the point. */
  point: string;
  /** Of the point: "chatbot, 4 concurrent". */
  title: string;
  requests: { done: number; total: number };
  in_flight: number;
  /** Of the last seconds; null at the beginning. */
  req_s: number | null;
  output_tok_s: number | null;
  ttft_ms: LiveLatency;
  itl_ms: LiveLatency;
  e2e_ms: LiveLatency;
  /** Failed requests by kind. */
  errors: Record<string, number>;
  /** The last reading of the server's metrics, by name; null without one. */
  server: Record<string, number> | null;
}
