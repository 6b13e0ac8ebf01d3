import type { PromptShape } from './compose.ts';

/** Pieces that cost one token in one kind of tokenizer or another. */
const pieces = ['x', ' a', '.', ' 1', '\n', ' .'] as const;

type Measure = (wordCount: number, tail: string) => Promise<PromptShape>;

/**
 * Closes the gap that whole words leave by pieces behind the last one. Starts from below, with a word less where the
 * nearest count was too high, and returns the nearest of all it measured.
 */
export async function fitTail(start: PromptShape, measure: Measure, isSpent: () => boolean): Promise<PromptShape> {
  let nearest = start;
  const look = async (wordCount: number, tail: string) => {
    const shape = await measure(wordCount, tail);
    if (Math.abs(shape.offBy) < Math.abs(nearest.offBy)) nearest = shape;
    return shape;
  };

  let below = start;
  if (below.offBy > 0 && below.wordCount > 1 && !isSpent()) below = await look(below.wordCount - 1, '');
  const missing = -below.offBy;
  if (missing <= 0 || nearest.offBy === 0) return nearest;
  for (const piece of pieces) {
    if (isSpent()) break;
    const added = (await look(below.wordCount, piece.repeat(missing))).offBy + missing;
    if (nearest.offBy === 0) break;
    // Pieces that join up give fewer tokens than there are pieces: as many more as that rate asks for.
    if (added <= 0 || added === missing || isSpent()) continue;
    await look(below.wordCount, piece.repeat(Math.round((missing * missing) / added)));
    if (nearest.offBy === 0) break;
  }
  return nearest;
}
