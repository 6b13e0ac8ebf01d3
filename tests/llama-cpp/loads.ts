/** A load that the server is measured under, without a warm-up. */
export interface Load {
  mode: 'concurrency' | 'burst' | 'rate';
  /** Requests in flight, requests sent at once, or requests per second. */
  level: number;
  requests: number;
  /** Tokens of each response, at least. */
  tokens: number;
}

const levels = [1, 4, 8];
/** The server sends its first token later than its log states, so TPOT needs many tokens. */
const tokens = 100;
/**
 * The same for a rate. Packet captures show that an idle server sends the first token of every second or third response 2
 * to 4 ms after its log counts it.
 */
const rateTokens = 400;

/** Requests that the server serves at the same time. */
export const slots = Math.max(...levels);

/** All loads. `requests`: number of requests at each number of users. */
export const loadsOf = (requests: number): Load[] => [
  { mode: 'concurrency', level: 1, requests: 24, tokens },
  ...levels.map((level): Load => ({ mode: 'concurrency', level, requests, tokens })),
  ...[8, 64].map((level): Load => ({ mode: 'burst', level, requests: level, tokens })),
  { mode: 'rate', level: 2, requests: 60, tokens: rateTokens },
  { mode: 'rate', level: 5, requests: 100, tokens: rateTokens },
];

export const nameOf = ({ mode, level }: Load): string =>
  ({ concurrency: `${level} in flight`, burst: `burst of ${level}`, rate: `${level} req/s` })[mode];
