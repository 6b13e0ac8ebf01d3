/** More than the young generation holds, twice: by default Node gives it three times 16 MiB. */
const garbageBytes = 112 * 1024 ** 2;
const piece = new Array<number>(1024).fill(0);
const pieceBytes = 8 * piece.length;

/**
 * Has the collector move what this thread has made, and will keep, to where it rarely looks: connections and requests of a
 * run would otherwise be moved in its first milliseconds, among the first tokens of a burst, which takes 2 to 4 ms. What
 * lives through two collections stays there, so this makes garbage enough for two.
 *
 * @returns how many pieces it made, so that making them has a use
 */
export function settleHeap(): number {
  let pieces = 0;
  for (let made = 0; made < garbageBytes; made += pieceBytes) pieces += piece.slice().length > 0 ? 1 : 0;
  return pieces;
}
