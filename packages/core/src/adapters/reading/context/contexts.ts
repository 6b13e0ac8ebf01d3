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

/** Maximum number of commands that are compared for one block. More are a script. */
const candidatesMax = 50;

/**
 * The runs that may have printed each of some blocks. `found` has the runs in the log between the previous block and each
 * block. As many runs as blocks after them are in the same order. Otherwise the order is unknown: the first block may be of
 * any run, and so may the others if there are fewer blocks than runs.
 */
function candidatesOf<R>(found: readonly (readonly R[])[]): (readonly R[])[] {
  const candidates: (readonly R[])[] = [];
  let from = 0;
  while (from < found.length) {
    const runs = found[from] ?? [];
    let to = from + 1;
    while (found[to]?.length === 0) to++;
    const count = to - from;
    const any = runs.length > candidatesMax ? [] : runs;
    for (let index = 0; index < count; index++) {
      if (runs.length === count) candidates.push(runs.slice(index, index + 1));
      else candidates.push(index === 0 || runs.length > count ? any : []);
    }
    from = to;
  }
  return candidates;
}

/**
 * The context of each of some blocks, which are in order, even if several commands precede several blocks. `find` returns
 * the runs in a part of the log, and `share` returns what the runs have in common that a block may be of. Blocks without
 * context are omitted. Lines are 1-based and inclusive. Every line is read once.
 */
export function contextsOfRuns<B extends { from: number; to: number }, R, C>(
  blocks: readonly B[],
  find: (from: number, to: number) => readonly R[],
  share: (runs: readonly [R, ...R[]]) => C,
): ReadonlyMap<B, C> {
  const candidates = candidatesOf(blocks.map(({ from }, index) => find((blocks[index - 1]?.to ?? 0) + 1, from - 1)));
  const contexts = new Map<B, C>();
  const shared = new Map<readonly R[], C>();
  for (const [index, block] of blocks.entries()) {
    const runs = candidates[index] ?? [];
    const [first, ...others] = runs;
    if (first === undefined) continue;
    const context = shared.get(runs) ?? share([first, ...others]);
    shared.set(runs, context);
    contexts.set(block, context);
  }
  return contexts;
}
