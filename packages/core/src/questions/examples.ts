/** Example questions for readers. The data of a fresh installation answers each of them. */
export const exampleQuestions = [
  'best model under 20ms ITL on H100',
  'fastest quantization in decode-bound',
  'lowest ttft for gpt-oss-120b on h200 at 32 concurrent users',
  'top 5 gpus by tokens per joule',
  'cheapest engine at $2.50 per gpu hour',
] as const;
