import { quantizations } from '../../catalogue/index.ts';
import { vendorOf } from '../../filters/filters.ts';
import { ggufFormats, width } from '../readers/catalogue-phrases.ts';
import type { Chunk } from '../readers/chunks.ts';
import { type Words, written } from '../words/tokens.ts';

type FactsChunk = Extract<Chunk, { kind: 'facts' }>;

/** Engines that run GGUF files only. */
const ggufEngines: ReadonlySet<string> = new Set([
  ...['llama.cpp', 'ik_llama.cpp', 'ollama', 'lm-studio', 'llamafile', 'koboldcpp', 'dwarfstar'],
]);

const valuesOf = (chunk: Chunk, filter: 'quantization' | 'engine' | 'gpu'): string[] =>
  chunk.kind === 'facts' ? chunk.facts.flatMap((fact) => (fact.filter === filter ? fact.values.map(String) : [])) : [];

const isGguf = (id: string) => id.startsWith('gguf-');
const isOfMac = (id: string) => isGguf(id) || id.startsWith('mlx-');

const isApple = (gpu: string) => vendorOf(gpu) === 'apple' || gpu.startsWith('apple-');

const idsOf = (words: Words, { start, end }: FactsChunk, isAllowed: (id: string) => boolean): string[] => {
  const bits = Number(/\d+/u.exec(written(words, start, end))?.[0]);
  return quantizations
    .filter(({ id, weightBits }) => isAllowed(id) && weightBits === bits)
    .map(({ id }) => id)
    .sort();
};

const toFormats = (chunk: FactsChunk, ids: string[]): Chunk => ({
  ...chunk,
  facts: [{ filter: 'quantization', values: ids }],
});

/** "4bit on a mac": on Apple GPUs, the formats are those of MLX and GGUF. "q4" and "fp4" keep their meaning. */
function narrowForMac(words: Words, chunks: readonly Chunk[]): Chunk[] {
  const gpus = chunks.flatMap((chunk) => valuesOf(chunk, 'gpu'));
  if (gpus.length === 0 || !gpus.every(isApple)) return [...chunks];
  return chunks.map((chunk) => {
    if (chunk.kind !== 'facts' || valuesOf(chunk, 'quantization').length === 0) return chunk;
    const isBits = /^(?:int\d{1,2}|\d-? ?bits?)$/u.test(written(words, chunk.start, chunk.end).toLowerCase());
    const ids = isBits ? idsOf(words, chunk, isOfMac) : [];
    return ids.length === 0 ? chunk : toFormats(chunk, ids);
  });
}

/** "q4 gguf", "4 bit with llama.cpp", "4 bit on a mac": widths mean formats that the other words allow. */
export const narrowWidth = (words: Words, chunks: readonly Chunk[]): Chunk[] =>
  dropGguf(narrowForGguf(words, narrowForMac(words, chunks)));

/** "q4_k_m gguf": the word adds nothing to a GGUF format. */
function dropGguf(chunks: readonly Chunk[]): Chunk[] {
  const all = ggufFormats();
  const isAny = (values: readonly unknown[]) =>
    values.length === all.length && values.every((id) => all.includes(String(id)));
  const isOne = (values: readonly string[]) => values.length > 0 && !isAny(values) && values.every(isGguf);
  if (isChoice(chunks) || !chunks.some((chunk) => isOne(valuesOf(chunk, 'quantization')))) return [...chunks];
  return chunks.flatMap((chunk): Chunk[] => {
    if (chunk.kind !== 'facts') return [chunk];
    const facts = chunk.facts.filter(({ filter, values }) => filter !== 'quantization' || !isAny(values));
    return facts.length === 0 ? [] : [{ ...chunk, facts }];
  });
}

/** True if words such as "or" and "vs" separate alternatives. */
const isChoice = (chunks: readonly Chunk[]): boolean =>
  chunks.some(
    (chunk) =>
      chunk.kind === 'or' ||
      chunk.kind === 'not' ||
      (chunk.kind === 'cue' && ['compare', 'versus', 'choose', 'than'].includes(chunk.cue)),
  );

/** A width of GGUF files means the GGUF formats of that width. */
function narrowForGguf(words: Words, chunks: readonly Chunk[]): Chunk[] {
  const named = chunks.filter((chunk): chunk is FactsChunk => valuesOf(chunk, 'quantization').length > 0);
  const isWidth = ({ start, end }: FactsChunk) => width.test(written(words, start, end).toLowerCase());
  const [one, ...otherWidths] = named.filter(isWidth);
  const others = named.filter((chunk) => !isWidth(chunk));
  if (one === undefined || otherWidths.length > 0 || isChoice(chunks)) return [...chunks];
  const isOfFormat = others.length === 1 && others.every((chunk) => valuesOf(chunk, 'quantization').every(isGguf));
  const engines = chunks.flatMap((chunk) => valuesOf(chunk, 'engine'));
  const isOfEngine = others.length === 0 && engines.length > 0 && engines.every((id) => ggufEngines.has(id));
  const ids = idsOf(words, one, isGguf);
  if (!(isOfFormat || isOfEngine) || ids.length === 0) return [...chunks];
  return chunks.map((chunk) =>
    chunk === one || others.includes(chunk as FactsChunk) ? toFormats(chunk as FactsChunk, ids) : chunk,
  );
}
