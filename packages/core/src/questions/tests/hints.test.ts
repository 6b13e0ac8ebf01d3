import { expect, test } from 'vitest';
import { DomainError } from '../../errors.ts';
import { parseQuestion, toWords } from '../index.ts';

function hintsOf(question: string): Record<string, string> {
  try {
    parseQuestion(question);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return Object.fromEntries(error.faults.map(({ message, hint }) => [/^"(.*?)" /.exec(message)?.[1], hint]));
  }
  throw new Error(`"${question}" was understood`);
}

// Each hint contains a question, or words, that the grammar understands.
test.each([
  ['gpu for qwen3 32b fp8 30 tk/s', '30', 'over 30 tk/s', 'gpu for qwen3 32b fp8 over 30 tk/s'],
  ['best gpu under $1000', '$1000', 'under $2 an hour', 'best gpu under $2 an hour'],
  ['best gpu for 2000 dollars', 'dollars', 'under $2 an hour', 'best gpu under $2 an hour'],
  ['ttft of deepseek r1 at 8k input', '8k', '8k input 1k output', 'ttft of deepseek r1 8k input 1k output'],
  ['concurrent users per h100 for llama 70b', 'users', 'how many users', 'how many users h100 llama 70b'],
  ['what batch size gives best throughput', 'batch size', 'best batch size', 'best batch size for llama 70b'],
  ['cerebras vs groq llama 70b', 'groq', 'closed models are not measured', 'vllm vs sglang llama 70b'],
  ['fastest provider for llama 70b', 'provider', 'Hosted services', 'fastest gpu for llama 70b'],
  ['rtx 3090 at 250w vs 350w tok/s', '250w', 'power limit 250 W', 'rtx 3090 power limit 250 W tok/s'],
  ['how long does a 32k prompt take on a 4090', 'long', 'ttft', 'ttft of a 32k prompt on a 4090'],
  ['max batch size llama 70b 80gb', '80gb', 'what fits in 24 GB', 'what fits in 24 GB'],
  ['best model on two 3090s or one 5090', 'one 5090', 'write "vs"', 'two 3090s vs one 5090'],
  ['max tok/min on h100', 'tok/min', 'use "tok/s"', 'h100 tok/s'],
  ['at least 3000 tok/min on h100', 'tok/min', '3000 are 50 tok/s', 'at least 50 tok/s on h100'],
  ['over 7200 tokens per hour on h100', 'hour', '7200 are 2 tok/s', 'over 2 tok/s on h100'],
  ['tokens per minute llama 3.1 8b', 'per', 'use "tok/s"', 'tok/s llama 3.1 8b'],
  ['gemma 3 27b qat on 3090', 'qat', 'q4_0', 'gemma 3 27b q4_0 on 3090'],
  ['4 bit vs 8 bit vs 16 bit llama 8b', '16', '"bf16"', '8 bit vs bf16 llama 8b'],
  ['h200 vs sxm', 'sxm', 'h100 sxm vs h100 pcie', 'h200 nvl vs h200 sxm'],
  ['max context for llama 3.1 8b on 24gb', 'context', 'with 32k context', 'what fits in 24 GB with 32k context'],
  ['what changed for h100', 'changed', '/history', 'h100 since march'],
  ['claude vs gpt-5', 'gpt-5', 'closed models are not measured', 'gpt-oss-20b vs gpt-oss-120b'],
  ['trainium 2 llama 70b', 'trainium', 'device of the catalogue', 'xeon 6980p llama 70b'],
  ['deepseek r1 b200 spec decoding', 'spec', 'not a filter', 'deepseek r1 b200'],
  ['b6413 vs b9187 llama.cpp', 'b6413', 'engine before its version', 'llama.cpp b6413 vs llama.cpp b9187'],
  ['llama 70b in 4bpw', '4bpw', 'Name the format', 'quantization "exl2" llama 70b'],
  ['only verified results on b200', 'verified', 'managed runs only', 'managed runs only on b200'],
  ['best gpu for $3/hour', '$3/hour', 'under $3 an hour', 'best gpu under $3 an hour'],
  ['2 nodes of h100', 'nodes', '8x h200', '8x h200'],
  ['flash attention on h100', 'flash', 'not a filter', 'h100'],
  ['best gpu for €2 per hour', 'for €2 per hour', 'under $2 an hour', 'best gpu under $2 an hour'],
  ['gpu under 2 euros an hour', 'under 2 euros an hour', 'under $2 an hour', 'gpu under $2 an hour'],
  ['cheapest gpu in euros', 'euros', 'under $2 an hour', 'cheapest gpu under $2 an hour'],
  ['gpu over 1.500 tok/s', '1.500 tok/s', 'Use "1.5" or "1500"', 'gpu over 1500 tok/s'],
  ['llama 8b with 32.768 context', '32.768', '"1500" or "1,500"', 'llama 8b with 32768 context'],
  ['best gpu for mistral large', 'large', 'no "mistral large"', 'best gpu for mistral-7b-v0.3'],
  ['vllm concurrency 1 vs 64 on h100', '64', 'such as "concurrency 1"', 'vllm concurrency 1 on h100'],
  ['lambda vs runpod h100', 'runpod', 'Hosted services', 'vllm vs sglang h100'],
  ['pareto deepseek r1 gb200', 'pareto', 'tok/s/gpu at 50 tok/s/user', 'deepseek r1 gb200 tok/s/gpu at 50 tok/s/user'],
  ['best gpu for 2€', '2€', 'under $2 an hour', 'best gpu under $2 an hour'],
  ['h100 price per hour', 'hour', 'under $2 an hour', 'h100 under $2 an hour'],
  ['tco h100 vs mi300x', 'tco', 'cost: h100 vs mi300x', 'cost: h100 vs mi300x'],
  ['how much electricity does llama 70b use', 'electricity', 'joules per token', 'joules per token llama 70b'],
  ['worst gpu for llama 70b', 'worst', 'slowest', 'slowest gpu for llama 70b'],
  ['kv cache size llama 3.1 8b 128k', '128k', 'with 32k context', 'kv cache size llama 3.1 8b with 128k context'],
  ['difference between itl and tpot', 'difference between', 'what is itl', 'what is itl'],
  ['cheaper than h100', 'than', 'is h200 cheaper than h100', 'is h200 cheaper than h100'],
  ['h100 at $2/hr vs b200 at $4/hr', 'vs', 'cheapest: h100 vs b200', 'cheapest: h100 vs b200'],
  ['exl3 llama 70b', 'exl3', 'quantization "exl3" for the format', 'quantization "exl3" llama 70b'],
  ['deepseek r1 b200 with eagle3', 'eagle3', 'not a filter', 'deepseek r1 b200'],
  ['prefill decode disaggregation b200', 'disaggregation', 'not a filter', 'b200'],
])('%s', (question, phrase, hint, again) => {
  expect(hintsOf(question)[phrase]).toContain(hint);
  expect(() => parseQuestion(again, { today: '2026-09-15' })).not.toThrow();
});

// A suggestion of another word would mislead.
test.each([
  ['limit tok/s of h100', 'limit'],
  ['h100 quota', 'quota'],
])('no unrelated word is suggested: %s', (question, word) => {
  expect(hintsOf(question)[word]).not.toContain('Did you mean');
});

// Readers see these words as offered questions.
test.each([
  ['best model that fits in 24 GB', 'best model that fits in 24 GB'],
  ['what is the best model in 24 GB', 'best model that fits in 24 GB'],
  ['best system at load mode concurrency for qwen3-8b', 'best system for qwen3-8b at any number of users'],
  ['qwen3 8b with a single user', 'best system for qwen3-8b for a single user'],
  ['how many users for qwen3-8b', 'how many users for qwen3-8b'],
  ['qwen3-8b at regime steady', 'best system for qwen3-8b at steady load'],
])('canonical words are plain: %s', (question, words) => {
  const asked = parseQuestion(question);
  expect(toWords(asked)).toBe(words);
  expect(parseQuestion(words).filters).toEqual(asked.filters);
});
