/** Metrics that "tokens per second" may mean, in the order to look for them: not the speed of reading prompts, and no time. */
export const speedNames = ['decode_tok_s', 'user_tok_s', 'output_tok_s_per_gpu', 'output_tok_s'] as const;
