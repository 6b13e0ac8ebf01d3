import type { Asked } from './client.ts';

const path = '/v1/submissions?model=unspecified&gpu=unspecified&quantization=bf16';

const outputTokens = 64;
const prefill_s = 0.046;

/** An artifact that no other number has: one result, in one of some hundred scenarios. Its figures fit each other. */
export function recordOf(number: number): string {
  const [batch, inputTokens] = [1 + (number % 64), 128 << (number % 5)];
  const decode_s = 0.464 * (1 + (number % 997) / 1e4);
  const latency = prefill_s + decode_s;
  return JSON.stringify({
    run_name: `chaos_${number}`,
    batch_size: batch,
    input_len: inputTokens,
    output_len: outputTokens,
    latency,
    output_throughput: (batch * outputTokens) / decode_s,
    overall_throughput: (batch * (inputTokens + outputTokens)) / latency,
  });
}

/** A submission under a name: sent again it is the same one. */
export const submissionOf = (key: string, name: string, body: string): Asked => ({
  method: 'POST',
  path,
  headers: { authorization: `Bearer ${key}`, 'idempotency-key': name },
  body,
});
