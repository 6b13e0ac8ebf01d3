import { DomainError } from '../errors.ts';
import type { Parameters } from '../submission/parameters.ts';
import { readSubmission } from '../submission/read-submission.ts';

const encoder = new TextEncoder();
/** Encodes documents and texts as an artifact, in order. */
export const bytesOf = (...documents: unknown[]) =>
  encoder.encode(
    documents.map((document) => (typeof document === 'string' ? document : JSON.stringify(document))).join('\n'),
  );

/** A test's changes to `native`. */
export interface Report {
  system?: Record<string, unknown>;
  scenario?: unknown;
  results?: Record<string, unknown>[];
}
/** A native report of one honest result. */
export const native = (report: Report = {}) => ({
  schema: 'inferboard/v1',
  system: { model: 'llama-3.1-8b', quantization: 'fp8', gpu: 'h100-sxm', gpu_count: 1, engine: 'vllm' },
  scenario: 'chatbot',
  results: [
    { load: { mode: 'concurrency', level: 8 }, metrics: { ttft_ms_mean: 211, tpot_ms_mean: 20, output_tok_s: 380 } },
  ],
  ...report,
});

/** A line of SGLang's bench_one_batch_server. */
export const sglang = (over: Record<string, unknown> = {}) => ({
  run_name: 'w8a8_smooth_gptq_run1',
  batch_size: 1,
  input_len: 2048,
  output_len: 32,
  latency: 0.27,
  output_throughput: 191.82,
  overall_throughput: 7660.45,
  last_gen_throughput: 180.1,
  ...over,
});
/** Output of llama-bench. */
export const llamaBench = [
  'build/bin/llama-bench -m /models/llama-2-7b.Q4_0.gguf',
  'ggml_cuda_init: found 1 CUDA devices:',
  '  Device 0: NVIDIA RTX PRO 6000 Blackwell Workstation Edition, compute capability 12.0, VMM: yes',
  '| model                          |       size |     params | backend    | ngl |            test |                  t/s |',
  '| ------------------------------ | ---------: | ---------: | ---------- | --: | --------------: | -------------------: |',
  '| llama 7B Q4_0                  |   3.56 GiB |     6.74 B | CUDA       |  99 |           tg128 |        278.95 ± 0.23 |',
].join('\n');

/** Returns the error that parsing throws. */
export function refusal(bytes: Uint8Array, given: Parameters = {}): DomainError {
  try {
    readSubmission(bytes, given);
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
  throw new Error('was not refused');
}
/** Its faults as "code location". */
export const faultsOf = (error: DomainError) =>
  error.faults.map((fault) => `${fault.code} ${fault.parameter ?? fault.pointer}`);
