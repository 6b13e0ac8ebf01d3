import type { Chunk } from '../readers/chunks.ts';
import { gpusRated } from '../readers/hardware.ts';
import { scaled } from '../words/numbers.ts';
import type { Words } from '../words/tokens.ts';

const isPower = (chunk: Chunk | undefined) => chunk?.kind === 'metric' && chunk.named.name.startsWith('power_w');

/** Verbs before the power that a GPU draws in a run. */
const measured = /^(?:draw|consum|eat|pull|us(?:e|ing)|measur)/u;

/**
 * "best gpu under 300 W": cards with at most this board power. A question that names a GPU, or the power drawn, is about measured
 * power.
 */
export function rateGpus({ tokens }: Words, chunks: readonly Chunk[]): Chunk[] {
  const asksGpus = chunks.some((chunk) => chunk.kind === 'noun' && chunk.noun === 'gpu');
  const namesGpu = chunks.some((chunk) => chunk.kind === 'facts' && chunk.facts.some(({ filter }) => filter === 'gpu'));
  if (!asksGpus || namesGpu) return [...chunks];
  return chunks.map((chunk, at): Chunk => {
    if (chunk.kind !== 'comparison' || isPower(chunks[at - 1]) || isPower(chunks[at + 1])) return chunk;
    if (measured.test(tokens[chunk.start - 1]?.text ?? '')) return chunk;
    const [limit, ...others] = chunk.limits;
    if (limit?.quantity.unit?.of !== 'W' || others.length > 0) return chunk;
    const { side, quantity } = limit;
    const watts = scaled(quantity.number, quantity.unit?.power ?? 0);
    const values = gpusRated(side, watts);
    if (values === null) return chunk;
    const note = `GPUs with a rated board power of at ${side === 'max' ? 'most' : 'least'} ${watts} W`;
    const { start, end } = chunk;
    return { kind: 'facts', facts: [{ filter: 'gpu', values }], note, start, end };
  });
}
