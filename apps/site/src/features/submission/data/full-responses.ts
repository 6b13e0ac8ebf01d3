import type * as client from '@inferboard/api/client';

/** A response with all optional fields: the API's response to `full=true`. */
export type Full<T> = T extends object ? { [K in keyof T]-?: Full<Exclude<T[K], undefined>> } : T;

export type Best = Full<client.Best>;
export type Comparison = Full<client.Comparison>;
export type Entry = Full<client.Entry>;
export type Frontier = Full<client.Frontier>;
export type Leaderboard = Full<client.Leaderboard>;
export type Matrix = Full<client.Matrix>;
export type Trend = Full<client.Trend>;
export type Submission = client.Submission & { results: client.SubmittedResult[] };

/** Requests the full response. */
export const requestFull = { full: 'true' } as const;
