/**
 * What stands before each of some blocks, which are in order: read between the block above and it, and where nothing is
 * there, the same as for the block above. Lines are 1-based and inclusive. Every line is read once.
 */
export function contextsOf<C>(
  blocks: readonly { from: number; to: number }[],
  read: (from: number, to: number) => C | null,
): (C | null)[] {
  let before: C | null = null;
  return blocks.map(({ from }, index) => {
    before = read((blocks[index - 1]?.to ?? 0) + 1, from - 1) ?? before;
    return before;
  });
}
