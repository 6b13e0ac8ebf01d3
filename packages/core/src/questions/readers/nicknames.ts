import { gpus } from '../../catalogue/index.ts';
import { derived } from '../../catalogue/memo.ts';
import { phraseTable } from '../words/phrases.ts';
import type { Words } from '../words/tokens.ts';
import { ggufFormats } from './catalogue-phrases.ts';
import type { Fact, Reading } from './loads.ts';

const fact = (filter: string, ...values: string[]): Fact => ({ filter, values });

/** GPUs by words for their architecture, such as "blackwell", and for their market. */
const gpuGroups = derived(() => {
  const named = Map.groupBy(gpus, ({ architecture }) =>
    architecture.toLowerCase().replace(/ (?:ultra|lovelace)$/u, ''),
  );
  const isConsumer = (id: string) => /^(?:rtx-[2-5]0\d0|rx-|arc-[ab]\d)/u.test(id) && !id.endsWith('-ada');
  const consumer = gpus.filter(({ id }) => isConsumer(id));
  return phraseTable([
    ...architectures.flatMap((word) => {
      const members = named.get(word) ?? [];
      return members.length === 0 ? [] : [[word, members.map(({ id }) => id).sort()] as const];
    }),
    ...['consumer', 'consumer grade', 'gaming'].map((word) => [word, consumer.map(({ id }) => id).sort()] as const),
  ]);
});

const architectures = [
  ...['pascal', 'volta', 'turing', 'ampere', 'ada', 'hopper', 'blackwell'],
  ...['cdna', 'cdna2', 'cdna3', 'cdna4', 'rdna2', 'rdna3', 'rdna4'],
];

/** "blackwell", "consumer": the GPUs of an architecture or a market. */
export function readGpuGroup(words: Words, at: number): { ids: string[]; length: number } | null {
  const found = words.tokens[at]?.quoted === null ? gpuGroups().find(words, at) : null;
  return found === null ? null : { ids: found.value, length: found.length };
}

/** Informal names of devices, of engines and of several formats that are not entries of the catalogue. */
const nicknames = phraseTable<Fact>([
  ...['inferencex', 'inferencemax', 'semianalysis'].map((phrase) => [phrase, fact('tool', 'inferencex')] as const),
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
