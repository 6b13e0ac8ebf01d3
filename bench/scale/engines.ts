import type { Gpu } from '../../packages/core/src/catalogue/index.ts';
import { type Quantization, quantizations } from '../../packages/core/src/catalogue/index.ts';
import type { Random } from '../../packages/core/src/testing/random.ts';
import { weighted, zipf } from './chance.ts';

type Vendor = Gpu['vendor'];

/** Popular engines for each GPU vendor, by id, with their popularity. */
const enginesOf: Record<Vendor, readonly (readonly [string, number])[]> = {
  nvidia: [
    ...([
      ['vllm', 42],
      ['sglang', 20],
      ['llama.cpp', 13],
      ['tensorrt-llm', 9],
      ['tgi', 3],
      ['lmdeploy', 2],
    ] as const),
    ...([
      ['ollama', 3],
      ['exllamav2', 1],
      ['exllamav3', 1],
      ['transformers', 1],
      ['nim', 2],
      ['dynamo', 2],
    ] as const),
    ...([
      ['aphrodite', 0.5],
      ['tabbyapi', 0.5],
      ['lm-studio', 0.5],
      ['ktransformers', 0.5],
      ['mistral.rs', 0.5],
    ] as const),
  ],
  amd: [
    ['vllm', 50],
    ['sglang', 30],
    ['llama.cpp', 15],
    ['ollama', 3],
    ['tgi', 2],
  ],
  intel: [
    ['vllm', 55],
    ['openvino', 20],
    ['llama.cpp', 15],
    ['tgi', 10],
  ],
  apple: [
    ['llama.cpp', 45],
    ['mlx', 35],
    ['ollama', 12],
    ['lm-studio', 8],
  ],
  google: [
    ['vllm', 50],
    ['jetstream', 40],
    ['max', 10],
  ],
};

const draws = new Map(Object.entries(enginesOf).map(([vendor, engines]) => [vendor, weighted(engines)]));

export const drawEngine = (vendor: Vendor, random: Random): string => draws.get(vendor)?.(random) ?? 'vllm';

const runsGguf: ReadonlySet<string> = new Set([
  'llama.cpp',
  'ik_llama.cpp',
  'ollama',
  'lm-studio',
  'koboldcpp',
  'llamafile',
]);

const ggufFirst = ['gguf-q4_k_m', 'gguf-q8_0', 'gguf-q4_0', 'gguf-q5_k_m', 'gguf-q6_k', 'gguf-ud', 'gguf-iq4_xs'];
const gguf = quantizations.filter(({ family }) => family === 'gguf').map(({ id }) => id);
const drawGguf = zipf([...ggufFirst, ...gguf.filter((id) => !ggufFirst.includes(id))]);
const others: Record<string, (random: Random) => string> = {
  mlx: zipf(['mlx-4bit', 'mlx-8bit', 'bf16']),
  exllamav2: zipf(['exl2', 'gptq-int4']),
  exllamav3: zipf(['exl3', 'exl2']),
  tabbyapi: zipf(['exl2', 'exl3']),
};
const drawServed = zipf([
  'bf16',
  'fp8',
  'awq-int4',
  'w4a16',
  'gptq-int4',
  'fp16',
  'nvfp4',
  'mxfp4',
  'w8a8-int8',
  'bnb-nf4',
  'w8a16',
  'w4a8',
]);

/** A quantization that the engine supports, by id. */
export function drawQuantization(engine: string, random: Random): Quantization['id'] {
  return (runsGguf.has(engine) ? drawGguf : (others[engine] ?? drawServed))(random);
}

const releases: Record<string, readonly string[]> = {
  vllm: [
    '0.11.0',
    '0.10.2',
    '0.9.2',
    '0.10.1.1',
    '0.8.5.post1',
    '0.11.1',
    '0.10.0',
    '0.9.1',
    '0.8.4',
    '0.7.3',
    '0.6.6',
    '0.6.3.post1',
  ],
  sglang: ['0.5.4', '0.5.3', '0.4.9.post2', '0.5.2', '0.4.6.post5', '0.5.5', '0.4.10', '0.4.4', '0.4.1'],
  'tensorrt-llm': ['1.0.0', '0.20.0', '1.1.0rc2', '0.19.0', '0.17.0', '0.16.0'],
  tgi: ['3.3.4', '3.2.3', '3.0.1', '2.4.1'],
  lmdeploy: ['0.9.2', '0.10.0', '0.8.0', '0.7.2'],
  ollama: ['0.12.3', '0.11.4', '0.9.6', '0.6.8', '0.5.7'],
  mlx: ['0.28.2', '0.26.0', '0.25.1', '0.22.1'],
};
const unlisted = ['1.4.0', '1.3.2', '1.2.0', '1.1.0', '1.0.1'];
const drawRelease = new Map(Object.entries(releases).map(([engine, versions]) => [engine, zipf(versions)]));
const drawUnlisted = zipf(unlisted);

/** A version of an engine. `isRare`: a build between releases, which is almost always unique. */
export function drawVersion(engine: string, random: Random, isRare: boolean): string {
  if (runsGguf.has(engine) && engine !== 'ollama') return `b${Math.round(random.between(3600, 7000))}`;
  const release = (drawRelease.get(engine) ?? drawUnlisted)(random);
  return isRare ? `${release}.dev${random.whole(1, 600)}+g${random.whole(2 ** 28, 2 ** 32 - 1).toString(16)}` : release;
}
