import type { Asked } from './client.ts';

const path = '/v1/submissions?model=unspecified&gpu=unspecified&quantization=bf16';

/** An artifact that no other number has: one result, in one of some hundred scenarios. */
export const recordOf = (number: number): string =>
  JSON.stringify({
    run_name: `chaos_${number}`,
    batch_size: 1 + (number % 64),
    input_len: 128 << (number % 5),
    output_len: 64,
    latency: 0.51,
    // Never so much that the figures contradict each other: what is held back is not asked for.
    output_throughput: 100 + (number % 10_000) / 1e4,
    overall_throughput: 377.82,
  });

/** A submission under a name: sent again it is the same one. */
export const submissionOf = (key: string, name: string, body: string): Asked => ({
  method: 'POST',
  path,
  headers: { authorization: `Bearer ${key}`, 'idempotency-key': name },
  body,
});
