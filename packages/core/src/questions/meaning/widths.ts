import { quantizations } from '../../catalogue/index.ts';
import { width } from '../readers/catalogue-phrases.ts';
import type { Chunk } from '../readers/chunks.ts';
import { type Words, written } from '../words/tokens.ts';

type FactsChunk = Extract<Chunk, { kind: 'facts' }>;

/** Engines that run GGUF files only. */
const ggufEngines: ReadonlySet<string> = new Set([
  ...['llama.cpp', 'ik_llama.cpp', 'ollama', 'lm-studio', 'llamafile', 'koboldcpp'],
]);

const valuesOf = (chunk: Chunk, filter: 'quantization' | 'engine'): string[] =>
  chunk.kind === 'facts' ? chunk.facts.flatMap((fact) => (fact.filter === filter ? fact.values.map(String) : [])) : [];

const isGguf = (id: string) => id.startsWith('gguf-');

/** "q4 gguf", "4 bit with llama.cpp": a width of GGUF files means the GGUF formats of that width. */
export function narrowWidth(words: Words, chunks: readonly Chunk[]): Chunk[] {
  const named = chunks.filter((chunk): chunk is FactsChunk => valuesOf(chunk, 'quantization').length > 0);
  const isWidth = ({ start, end }: FactsChunk) => width.test(written(words, start, end).toLowerCase());
  const [one, ...otherWidths] = named.filter(isWidth);
  const others = named.filter((chunk) => !isWidth(chunk));
  const isChoice = chunks.some(
    (chunk) =>
      chunk.kind === 'or' ||
      chunk.kind === 'not' ||
      (chunk.kind === 'cue' && ['compare', 'versus', 'choose', 'than'].includes(chunk.cue)),
  );
  if (one === undefined || otherWidths.length > 0 || isChoice) return [...chunks];
  const isOfFormat = others.length === 1 && others.every((chunk) => valuesOf(chunk, 'quantization').every(isGguf));
  const engines = chunks.flatMap((chunk) => valuesOf(chunk, 'engine'));
  const isOfEngine = others.length === 0 && engines.length > 0 && engines.every((id) => ggufEngines.has(id));
  const bits = Number(/\d+/u.exec(written(words, one.start, one.end))?.[0]);
  const ids = quantizations
    .filter(({ id, weightBits }) => isGguf(id) && weightBits === bits)
    .map(({ id }) => id)
    .sort();
  if (!(isOfFormat || isOfEngine) || ids.length === 0) return [...chunks];
  const narrowed = (chunk: FactsChunk): Chunk => ({ ...chunk, facts: [{ filter: 'quantization', values: ids }] });
  return chunks.map((chunk) =>
    chunk === one || others.includes(chunk as FactsChunk) ? narrowed(chunk as FactsChunk) : chunk,
  );
}
