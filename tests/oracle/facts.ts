/** A fact of a system: the submitter's words and their match in the catalogue. */
export interface Fact {
  text: string;
  id: string | null;
  family: string | null;
  /** Method of the quantization, if stated. */
  recipe?: readonly string[];
}

/** A filter value and the facts that it matches. */
export interface Word {
  word: string;
  means(fact: Fact): boolean;
}

const fact = (text: string, id: string | null = null, family: string | null = null): Fact => ({ text, id, family });
const ofId = (word: string, id: string): Word => ({ word, means: (one) => one.id === id });
const ofFamily = (word: string, family: string): Word => ({ word, means: (one) => one.family === family });
/** Names outside the catalogue are case-insensitive. */
const asWritten = (word: string): Word => ({
  word,
  means: (one) => one.id === null && one.family === null && one.text.toLowerCase() === word.toLowerCase(),
});

export const gpus: readonly Fact[] = [
  fact('h100-sxm', 'h100-sxm', 'h100'),
  fact('NVIDIA H100 80GB HBM3', 'h100-sxm', 'h100'),
  fact('H100 PCIe', 'h100-pcie', 'h100'),
  fact('H100', null, 'h100'),
  fact('h200-sxm', 'h200-sxm', 'h200'),
  fact('RTX 4090', 'rtx-4090', 'rtx-4090'),
  fact('mi300x', 'mi300x', 'mi300x'),
  fact('rtx pro 6000', null, 'rtx-pro-6000'),
  fact('unspecified'),
  fact('Frobnicator 9000'),
];
export const gpuWords: readonly Word[] = [
  ofFamily('h100', 'h100'),
  ofFamily('H100', 'h100'),
  ofId('h100-sxm', 'h100-sxm'),
  ofId('NVIDIA H100 80GB HBM3', 'h100-sxm'),
  ofId('h100-pcie', 'h100-pcie'),
  ofFamily('h200', 'h200'),
  ofId('NVIDIA GeForce RTX 4090', 'rtx-4090'),
  ofId('mi300x', 'mi300x'),
  ofFamily('rtx pro 6000', 'rtx-pro-6000'),
  asWritten('unspecified'),
  asWritten('frobnicator 9000'),
];

export const models: readonly Fact[] = [
  fact('meta-llama/Llama-3.1-8B-Instruct', 'llama-3.1-8b', 'llama-3.1'),
  fact('llama-3.1-8b', 'llama-3.1-8b', 'llama-3.1'),
  fact('llama-3.1-70b', 'llama-3.1-70b', 'llama-3.1'),
  fact('llama3.1', null, 'llama-3.1'),
  fact('Qwen/Qwen3-30B-A3B', 'qwen3-30b-a3b', 'qwen3'),
  fact('gpt-oss-120b', 'gpt-oss-120b', 'gpt-oss'),
  fact('unspecified'),
  fact('Our Model 9T'),
];
export const modelWords: readonly Word[] = [
  ofId('llama 3.1 8b', 'llama-3.1-8b'),
  ofId('llama-3.1-70b', 'llama-3.1-70b'),
  ofFamily('llama3.1', 'llama-3.1'),
  ofFamily('qwen3', 'qwen3'),
  ofId('openai/gpt-oss-120b', 'gpt-oss-120b'),
  asWritten('unspecified'),
  asWritten('OUR MODEL 9T'),
];
export const modelFamilyWords: readonly Word[] = ['llama-3.1', 'qwen3', 'gpt-oss'].map((id) => ofFamily(id, id));

export const quantizations: readonly Fact[] = [
  fact('bf16', 'bf16'),
  fact('FP8', 'fp8'),
  { ...fact('w8a8', 'w8a8-int8'), recipe: [] },
  { ...fact('w8a8_smooth_gptq', 'w8a8-int8'), recipe: ['smooth', 'gptq'] },
  fact('unspecified'),
  fact('q77_frob'),
];
export const quantizationWords: readonly Word[] = [
  ofId('bfloat16', 'bf16'),
  ofId('fp8', 'fp8'),
  ofId('w8a8', 'w8a8-int8'),
  { word: 'w8a8_smooth_gptq', means: ({ recipe }) => recipe?.join() === 'smooth,gptq' },
  asWritten('unspecified'),
  asWritten('Q77_FROB'),
];

export const engines: readonly Fact[] = [
  fact('vLLM', 'vllm'),
  fact('sglang', 'sglang'),
  fact('llama-server', 'llama.cpp'),
  fact('Our Server'),
];
export const engineWords: readonly Word[] = [
  ofId('vllm', 'vllm'),
  ofId('SGLang', 'sglang'),
  ofId('llama.cpp', 'llama.cpp'),
  asWritten('our server'),
];
export const engineVersions = ['0.11.0', '0.9.2', 'nightly'] as const;

export const scenarios = [
  { name: 'chatbot' },
  { name: 'RAG / QA' },
  { input_tokens: 100, output_tokens: 50 },
  { input_tokens: 700, output_tokens: 70 },
  { name: 'random-1000-1000' },
] as const;
/** A scenario filter and the scenario's id. */
export const scenarioWords = [
  ['chatbot', 'chatbot'],
  ['rag', 'rag'],
  ['RAG', 'rag'],
  ['100-50', '100-50'],
  ['random-1000-1000', 'random-1000-1000'],
] as const;

/** Workload filters: by shape and regime, or only by shape. */
export const workloadWords = [
  'chatbot',
  'chatbot-steady',
  'chatbot-burst',
  'rag-offline',
  'random-1000-1000-steady',
  'random-1000-1000-unspecified',
] as const;

export interface Load {
  mode: 'concurrency' | 'burst' | 'rate' | 'batch' | 'unspecified';
  level: number | null;
  burstiness?: number;
}
export const loads: readonly Load[] = [
  ...[1, 4, 16, 64].map((level): Load => ({ mode: 'concurrency', level })),
  ...[8, 128].map((level): Load => ({ mode: 'burst', level })),
  { mode: 'rate', level: 2.5 },
  { mode: 'rate', level: 2.5, burstiness: 0.5 },
  { mode: 'batch', level: 8 },
  { mode: 'unspecified', level: null },
];
