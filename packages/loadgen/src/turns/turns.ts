/** Conversations among the requests of a plan: each is a run of rows, in order. */
export interface Turns {
  /** Conversation `c` has the rows `first[c]` to `first[c + 1]`. */
  first: Int32Array;
  /** By row: ms from the end of the answer before it to its start; 0 of a first turn. */
  thinkMs: Float64Array;
}

/** Conversations of so many turns each. */
export function turnsOf(counts: readonly number[], thinkMs: Float64Array): Turns {
  const first = new Int32Array(counts.length + 1);
  for (const [at, count] of counts.entries()) first[at + 1] = (first[at] ?? 0) + count;
  return { first, thinkMs };
}

/** Rows of the first `conversations`. */
export const rowsOf = ({ first }: Turns, conversations: number): number =>
  first[Math.min(conversations, first.length - 1)] ?? 0;

/** Throws RangeError unless each conversation has a row at least, and each row is part of one. */
export function checkTurns({ first, thinkMs }: Turns, rows: number): void {
  const isWhole = first.every((row, at) => (at === 0 ? row === 0 : row > (first[at - 1] ?? 0)));
  if (!isWhole || first.length < 2 || first.at(-1) !== rows)
    throw new RangeError('conversations must have one request or more each, and all requests together');
  if (thinkMs.length !== rows || !thinkMs.every((ms) => ms >= 0 && ms < 2 ** 31))
    throw new RangeError('each request needs its think time, 0 ms or more');
}
