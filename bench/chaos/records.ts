import type { Asked } from './client.ts';

const path = '/v1/submissions?model=unspecified&gpu=unspecified&quantization=bf16';

const prefill_s = 0.046;
const token_s = 0.00725;

/**
 * A unique artifact for each number: one result with consistent figures, in one of some thousand scenarios. The numbers map to
 * scenarios pseudo-randomly, so that every range of numbers covers all scenarios.
 */
export function recordOf(number: number): string {
  const spread = Math.imul(number, 0x9e3779b1) >>> 0;
  const [batch, inputTokens, outputTokens] = [
    1 + (spread >>> 26),
    128 << (((spread >>> 22) & 15) % 5),
    32 << ((spread >>> 20) & 3),
  ];
  const decode_s = token_s * outputTokens * (1 + (number % 997) / 1e4);
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

/** A submission with an idempotency key: sending it again returns the same submission. */
export const submissionOf = (key: string, name: string, body: string): Asked => ({
  method: 'POST',
  path,
  headers: { authorization: `Bearer ${key}`, 'idempotency-key': name },
  body,
});
