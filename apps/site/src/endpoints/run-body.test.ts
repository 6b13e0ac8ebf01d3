import { expect, test } from 'vitest';
import { endpointBody, givenOf } from './endpoint-body.ts';
import { runBody } from './run-body.ts';

const formOf = (fields: Record<string, string>) => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
};

test('the body of an endpoint has the filled fields, with numbers as numbers', () => {
  const form = formOf({
    ...{ name: ' llama ', base_url: 'http://llm.example', model: 'm', api_key: 'sk-1', metrics_url: '', gpu: 'H100' },
    ...{ gpu_count: '2', tensor_parallel: 'two', gpu_power_limit_w: '350.5', form_token: 'x' },
  });
  expect(endpointBody(form)).toEqual({
    ...{ name: 'llama', base_url: 'http://llm.example', model: 'm', api_key: 'sk-1', gpu: 'H100' },
    ...{ gpu_count: 2, tensor_parallel: 'two', gpu_power_limit_w: 350.5 },
  });
  expect(givenOf(form)).toMatchObject({ name: ' llama ', tensor_parallel: 'two', engine: '' });
  expect(givenOf(form)).not.toHaveProperty('api_key');
});

test.each<[string, Record<string, string>, object]>([
  [
    'loads of a scenario: at least as many requests as users',
    { form: 'loads', scenario: 'chatbot', levels: '1, 32', requests: '16' },
    {
      plan: [
        { scenario: 'chatbot', load: { mode: 'concurrency', level: 1 }, requests: 16 },
        { scenario: 'chatbot', load: { mode: 'concurrency', level: 32 }, requests: 32 },
      ],
    },
  ],
  [
    'lengths instead of the scenario',
    { form: 'loads', scenario: 'chatbot', input_tokens: '128', output_tokens: '32', levels: '4', repetitions: '3' },
    {
      repetitions: 3,
      plan: [{ scenario: { input_tokens: 128, output_tokens: 32 }, load: { mode: 'concurrency', level: 4 } }],
    },
  ],
  [
    'texts that are no numbers, for the API to refuse',
    { form: 'loads', scenario: 'chatbot', levels: '1 x', requests: 'many' },
    {
      plan: [
        { scenario: 'chatbot', load: { mode: 'concurrency', level: 1 }, requests: 'many' },
        { scenario: 'chatbot', load: { mode: 'concurrency', level: 'x' }, requests: 'many' },
      ],
    },
  ],
  ['a named plan', { form: 'plan', plan: 'serving-grid', repetitions: '' }, { plan: 'serving-grid' }],
  ['a schedule', { form: 'plan', plan: 'batch-grid', cron: ' 0 3 * * * ' }, { plan: 'batch-grid', cron: '0 3 * * *' }],
  [
    'a search for the capacity',
    { form: 'capacity', limits: ' ttft_p99<2000 ', scenario: 'rag' },
    { plan: 'capacity', find: { limits: 'ttft_p99<2000', scenario: 'rag' } },
  ],
])('the body of a run: %s', (_, fields, body) => {
  expect(runBody('ep_1', formOf(fields))).toEqual({ endpoint_id: 'ep_1', ...body });
});
