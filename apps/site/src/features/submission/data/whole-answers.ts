import type * as client from '@inferboard/api/client';

/** A response with all optional fields: the API's response to `full=true`. */
export type Whole<T> = T extends object ? { [K in keyof T]-?: Whole<Exclude<T[K], undefined>> } : T;

export type Best = Whole<client.Best>;
export type Comparison = Whole<client.Comparison>;
export type Entry = Whole<client.Entry>;
export type Frontier = Whole<client.Frontier>;
export type Leaderboard = Whole<client.Leaderboard>;
export type Matrix = Whole<client.Matrix>;
export type Trend = Whole<client.Trend>;
export type Submission = client.Submission & { results: client.SubmittedResult[] };

/** Requests the full response. */
export const wholly = { full: 'true' } as const;
