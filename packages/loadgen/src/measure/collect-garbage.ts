/** More than the young generation holds, twice: by default Node gives it three times 16 MiB. */
const garbageBytes = 112 * 1024 ** 2;
const piece = new Array<number>(1024).fill(0);
const pieceBytes = 8 * piece.length;

/**
 * Triggers two minor garbage collections, which move the live objects of this thread to the old generation. Otherwise the
 * collector moves the connections and requests of a run in its first milliseconds, among the first tokens of a burst, which
 * takes 2 to 4 ms. Objects are promoted if they survive two collections, so this allocates enough for two.
 *
 * @returns the number of allocated pieces, so that the allocation is not optimised away
 */
export function collectGarbage(): number {
  let pieces = 0;
  for (let made = 0; made < garbageBytes; made += pieceBytes) pieces += piece.slice().length > 0 ? 1 : 0;
  return pieces;
}
