/** When requests begin: a constant `concurrency`, or at precomputed times. */
export type Pace =
  | { mode: 'closed'; concurrency: number }
  | {
      mode: 'open';
      /** `trace` is a replayed file of bursts. */
      arrivals: 'poisson' | 'constant' | 'trace';
      /** Requests per second. */
      rate: number;
      timer: 'hybrid' | 'plain';
      /** Maximum number of requests in flight; the others wait. */
      cap: number | null;
    };

/** A load of the generator, and the server options for it. */
export interface Load {
  name: string;
  pace: Pace;
  requests: number;
  /** Output tokens of each request. */
  tokens: number;
  /** Options of the server with known timing: `ttft_ms`, `itl_ms`, faults. */
  server: Readonly<Record<string, number>>;
  /** A server in front of the one with known timing. */
  front?: 'tcp' | 'tls';
  /** Threads of the generator, if not one. */
  threads?: number;
  /** Cores of the generator, if not the second alone. */
  cores?: string;
  /** Conversations of so many turns in place of single requests; `requests` counts the turns. */
  turns?: number;
  /** Maximum pause within a response, if it is not a minute. */
  stall_ms?: number;
}

export const closed = (name: string, concurrency: number, requests: number, server: Load['server']): Load => ({
  name,
  pace: { mode: 'closed', concurrency },
  requests,
  tokens: 256,
  server,
});

const usual = { ttft_ms: 200, itl_ms: 10 };

export const inFlight = (concurrency: number): Load =>
  closed(`${concurrency} in flight`, concurrency, Math.max(4, 2 * concurrency), usual);

/** This many events per second by 256 streams, three waves. */
export const streams = (events: number): Load => ({
  ...closed(`${events / 1000} k events/s, 256 streams`, 256, 768, { ttft_ms: 200, itl_ms: 256_000 / events }),
  tokens: 1000,
});

/** As fast as the server writes: 16 events in each write. */
export const flatOut = (threads: number, cores: string): Load => ({
  ...closed(`flat out, ${threads === 1 ? 'one worker' : `${threads} workers`}`, 64, 1024, { itl_ms: 0, epw: 16 }),
  tokens: 4000,
  threads,
  cores,
});

/** Behind a server that passes the bytes on: its own delay is in both. */
export const behind = (front: 'tcp' | 'tls', concurrency: number): Load => ({
  ...inFlight(concurrency),
  name: `${concurrency} in flight through a ${front.toUpperCase()} front`,
  front,
});

/** Eight conversations at a time, of five turns each. */
export const conversations: Load = {
  ...closed('conversations of 5 turns, 8 at a time', 8, 200, { ttft_ms: 40, ttft_jitter: 0.5, itl_ms: 3 }),
  tokens: 16,
  turns: 5,
};

/** Think time before a turn, ms. */
export const thinkMsOf = ({ turns = 1 }: Load, row: number): number => (row % turns === 0 ? 0 : 30 + ((row * 7) % 23));

/** Ten seconds of arrivals, at least 300 requests: with fewer, the p99 would be one of the two worst values. */
export const arrivals = (
  rate: number,
  kind: 'poisson' | 'constant' | 'trace' = 'poisson',
  timer: 'hybrid' | 'plain' = 'hybrid',
): Load => ({
  name: `${kind}, ${rate}/s${timer === 'plain' ? ', plain timer' : ''}`,
  pace: { mode: 'open', arrivals: kind, rate, timer, cap: null },
  requests: Math.max(300, 10 * rate),
  tokens: 8,
  server: { ttft_ms: 20, itl_ms: 2 },
});

/** 100 requests per second with a capacity of 66, so that the last ones wait for seconds. */
export const capped: Load = {
  name: 'poisson, 100/s through a cap of 8',
  pace: { mode: 'open', arrivals: 'poisson', rate: 100, timer: 'hybrid', cap: 8 },
  requests: 500,
  tokens: 51,
  server: { ttft_ms: 20, itl_ms: 2 },
};

export const minuteOfThousand: Load = {
  ...closed('1000 connections, 60 s, 50 k events/s', 1000, 1000, { ttft_ms: 200, itl_ms: 20 }),
  tokens: 3000,
};
