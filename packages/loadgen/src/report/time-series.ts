import type { RecordedPoint } from './recorded-point.ts';

/** Values over the time of a point, in seconds since it began. */
export type Series = readonly (readonly [s: number, value: number])[];

const binsWanted = 120;
/** Lengths of bins in seconds. */
const binLengths = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600];

/** When the last answer of a point ended, in seconds. */
export function lengthOf({ requests }: RecordedPoint): number {
  return requests.reduce((end, { sentS, e2eMs }) => Math.max(end, (sentS ?? 0) + (e2eMs ?? 0) / 1000), 0);
}

const binOf = (length: number) => binLengths.find((bin) => length / bin <= binsWanted) ?? length / binsWanted;

/** Output tokens a second, in bins: each chunk counts for its share of the answer's tokens. */
export function tokenRate(point: RecordedPoint): Series {
  const length = lengthOf(point);
  const bin = binOf(length);
  const sums = new Float64Array(Math.max(1, Math.ceil(length / bin)));
  for (const { sentS, ttftMs, gapsMs, outputTokens, error } of point.requests) {
    if (sentS === null || ttftMs === null || error !== null) continue;
    const chunks = 1 + (gapsMs?.length ?? 0);
    const tokens = (outputTokens ?? chunks) / chunks;
    let at = sentS + ttftMs / 1000;
    const add = () => {
      const place = Math.min(sums.length - 1, Math.floor(at / bin));
      sums[place] = (sums[place] ?? 0) + tokens;
    };
    add();
    for (const gap of gapsMs ?? []) {
      at += gap / 1000;
      add();
    }
  }
  // The rate of a short remainder at the end would be that of a few tokens.
  const rest = length - (sums.length - 1) * bin;
  const shown = rest < bin / 2 && sums.length > 1 ? sums.subarray(0, -1) : sums;
  return Array.from(shown, (sum, place) => [(place + 0.5) * bin, sum / Math.min(bin, length - place * bin || bin)]);
}

/** Requests under way at the middle of each bin. */
export function inFlight(point: RecordedPoint): Series {
  const length = lengthOf(point);
  const bin = binOf(length);
  const changes = new Float64Array(Math.max(1, Math.ceil(length / bin)) + 1);
  for (const { sentS, e2eMs } of point.requests) {
    if (sentS === null || e2eMs === null) continue;
    // From the first middle that is not before it was sent to the first that is not before it ended.
    const from = Math.max(0, Math.ceil(sentS / bin - 0.5));
    const to = Math.max(0, Math.ceil((sentS + e2eMs / 1000) / bin - 0.5));
    changes[Math.min(from, changes.length - 1)] = (changes[Math.min(from, changes.length - 1)] ?? 0) + 1;
    changes[Math.min(to, changes.length - 1)] = (changes[Math.min(to, changes.length - 1)] ?? 0) - 1;
  }
  let now = 0;
  return Array.from(changes.subarray(0, -1), (change, place) => {
    now += change;
    return [(place + 0.5) * bin, now];
  });
}

/** A latency of each request that succeeded, by when it was sent. */
export function latencies(point: RecordedPoint, of: 'ttftMs' | 'e2eMs'): Series {
  return point.requests.flatMap((request) => {
    const value = request[of];
    return request.sentS === null || value === null || request.error !== null ? [] : [[request.sentS, value] as const];
  });
}
