import type { LoggedRequest } from './server.ts';

/** One request as the load generator reports it. */
export interface MeasuredRequest {
  /** Null if it succeeded. */
  error: string | null;
  tokens: number;
  /** From the first token to the last, ms. */
  generationMs: number;
}

const tpotErrorMax = 0.01;

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
const sorted = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b);

const tpotOf = (requests: readonly { tokens: number; generationMs: number }[]) =>
  sum(requests.map(({ generationMs }) => generationMs)) / (sum(requests.map(({ tokens }) => tokens)) - requests.length);

/** Differences between the load generator's figures and the server's log, in words. */
export function compare(
  measured: readonly MeasuredRequest[],
  log: readonly LoggedRequest[],
): { line: string; faults: string[] } {
  const ok = measured.filter(({ error }) => error === null);
  const failed = measured.filter(({ error }) => error !== null);
  const [tokens, logged] = [ok, log].map((requests) => sorted(requests.map((request) => request.tokens)));
  const [tpot, loggedTpot] = [tpotOf(ok), tpotOf(log)];
  const error = tpot / loggedTpot - 1;
  return {
    line: `${ok.length} of ${measured.length} ok; tokens ${sum(tokens ?? [])}, its log ${sum(logged ?? [])}; TPOT ${tpot.toFixed(4)} ms, its log ${loggedTpot.toFixed(4)} ms (${(100 * error).toFixed(2)} %)`,
    faults: [
      ...failed.slice(0, 3).map((request) => `failed: ${request.error}`),
      ...(failed.length > 0 ? [`${failed.length} requests failed`] : []),
      ...(tokens?.join() === logged?.join() ? [] : ['the counts of tokens differ from the log']),
      ...(Math.abs(error) <= tpotErrorMax ? [] : [`TPOT is more than ${100 * tpotErrorMax} % off`]),
    ],
  };
}
