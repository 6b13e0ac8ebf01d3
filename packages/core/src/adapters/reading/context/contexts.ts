/**
 * The context before each of some blocks, which are in order. It is read between the previous block and the block. If that
 * text has none, the context of the previous block applies. Lines are 1-based and inclusive. Every line is read once.
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
