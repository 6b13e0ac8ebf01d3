/** What is asked of the generator, and the options of the server that make it so. */
export interface Load {
  name: string;
  concurrency: number;
  requests: number;
  tokens: number;
  ttft_ms: number;
  itl_ms: number;
  /** Requests per second of an open loop; null for a closed one. */
  rate: number | null;
}

const closed = (name: string, concurrency: number, requests: number): Load => ({
  name,
  concurrency,
  requests,
  tokens: 256,
  ttft_ms: 200,
  itl_ms: 10,
  rate: null,
});

/** So many events per second by 256 streams, three waves. */
const streams = (events: number): Load => ({
  ...closed(`${events / 1000} k events/s, 256 streams`, 256, 768),
  tokens: 1000,
  itl_ms: 256_000 / events,
});

const arrivals = (rate: number): Load => ({
  ...closed(`Poisson, ${rate}/s`, 1, Math.max(100, 10 * rate)),
  tokens: 8,
  ttft_ms: 20,
  itl_ms: 2,
  rate,
});

export const loads: readonly Load[] = [
  closed('1 in flight', 1, 4),
  closed('8 in flight', 8, 16),
  closed('32 in flight', 32, 64),
  closed('128 in flight', 128, 256),
  closed('256 in flight', 256, 512),
  { ...closed('20 k events/s, 200 streams', 200, 600) },
  streams(100_000),
  streams(200_000),
  ...[10, 50, 100, 500].map(arrivals),
];
