import { phraseTable } from '../words/phrases.ts';
import type { Words } from '../words/tokens.ts';
import { ggufFormats } from './catalogue-phrases.ts';
import type { Fact, Reading } from './loads.ts';

const fact = (filter: string, ...values: string[]): Fact => ({ filter, values });

/** Informal names of devices, of engines and of several formats that are not entries of the catalogue. */
const nicknames = phraseTable<Fact>([
  ['jetson thor', fact('gpu', 'jetson-agx-thor')],
  ...['ai max 395', 'ai max+ 395', 'ryzen ai max', 'ryzen ai max 395', 'ryzen ai max+ 395', 'max+ 395'].map(
    (phrase) => [phrase, fact('gpu', 'strix-halo')] as const,
  ),
  ...['arc b60', 'b60'].map((phrase) => [phrase, fact('gpu', 'arc-pro-b60')] as const),
  ['gaudi', fact('gpu', 'gaudi2', 'gaudi3')],
  ...['tensorrt', 'trt'].map((phrase) => [phrase, fact('engine', 'tensorrt-llm')] as const),
  ...['exl', 'exllama'].map((phrase) => [phrase, fact('engine', 'exllamav2', 'exllamav3')] as const),
  ...['gguf', 'ggufs'].map((phrase) => [phrase, fact('quantization', ...ggufFormats())] as const),
  ...[
    ...['unquantized', 'unquantised', 'non quantized', 'not quantized', 'full precision'],
    ...['without quantization', 'without quantisation', 'without any quantization', 'without quantizing'],
    ...['no quantization', 'no quantisation', 'without quants', 'half precision'],
  ].map((phrase) => [phrase, fact('quantization', 'bf16', 'fp16')] as const),
]);

export function readNickname(words: Words, at: number): Reading | null {
  const found = nicknames.find(words, at);
  return found === null ? null : { facts: [found.value], length: found.length };
}
