import { beforeAll, expect, it } from 'vitest';
import { answerOf, useTestApp } from '../testing/index.ts';

const app = useTestApp();
let key = '';
beforeAll(async () => {
  key = await app.createAccount('nobody-counted');
});

const report = JSON.stringify({
  schema: 'inferboard/v1',
  system: { model: 'llama-3.1-8b', quantization: 'bf16', gpu: 'h100-sxm', engine: 'vllm' },
  scenario: 'chatbot',
  results: [{ load: { mode: 'concurrency', level: 1 }, metrics: { user_tok_s: 400 } }],
});

it.each(['true', 'false'])('requires the GPU count if one GPU would exceed a bound, dry run %s', async (dry_run) => {
  const response = await app.submit(report, { dry_run }, key);
  expect(response.status).toBe(422);
  expect(await answerOf(response)).toMatchObject({
    code: 'facts_missing',
    errors: [
      {
        code: 'gpu_count_needed',
        parameter: 'gpu_count',
        message: expect.stringMatching(
          /400 tok\/s per user would need 6\.\d+ TB\/s; one NVIDIA H100 .* has 3\.35 TB\/s/,
        ),
        hint: expect.stringContaining('2 GPUs or more'),
      },
    ],
  });
});

it('with the count given: holds the result for one GPU, accepts it for two', async () => {
  const one = await app.submit(report, { gpu_count: '1' }, key);
  expect(one.status).toBe(201);
  expect((await answerOf(one)).status).toBe('quarantined');
  const two = await app.submit(report, { gpu_count: '2' }, key);
  expect((await answerOf(two)).status).toBe('accepted');
});
