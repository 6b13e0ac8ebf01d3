/** When requests begin: `concurrency` under way all the time, or at times drawn before. */
export type Pace =
  | { mode: 'closed'; concurrency: number }
  | {
      mode: 'open';
      arrivals: 'poisson' | 'constant';
      /** Requests per second. */
      rate: number;
      timer: 'hybrid' | 'plain';
      /** Requests that may be under way; the others wait. */
      cap: number | null;
    };

/** What is asked of the generator, and the options of the server that make it so. */
export interface Load {
  name: string;
  pace: Pace;
  requests: number;
  /** Of each request. */
  tokens: number;
  /** Options of the server whose timing is known: `ttft_ms`, `itl_ms`, faults. */
  server: Readonly<Record<string, number>>;
  /** Longest pause within an answer that is let pass, where it is not a minute. */
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

/** So many events per second by 256 streams, three waves. */
export const streams = (events: number): Load => ({
  ...closed(`${events / 1000} k events/s, 256 streams`, 256, 768, { ttft_ms: 200, itl_ms: 256_000 / events }),
  tokens: 1000,
});

/** Ten seconds of arrivals, three hundred requests at least: of fewer the 99th percentile is the second worst. */
export const arrivals = (
  rate: number,
  kind: 'poisson' | 'constant' = 'poisson',
  timer: 'hybrid' | 'plain' = 'hybrid',
): Load => ({
  name: `${kind}, ${rate}/s${timer === 'plain' ? ', plain timer' : ''}`,
  pace: { mode: 'open', arrivals: kind, rate, timer, cap: null },
  requests: Math.max(300, 10 * rate),
  tokens: 8,
  server: { ttft_ms: 20, itl_ms: 2 },
});

/** A hundred requests per second of which 66 can pass, so that the last ones wait for seconds. */
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
