// Fills a running service with every kind of data and saves its responses, for the fixture of a release:
// ADMIN_KEY=... node scripts/release-fixture.ts http://127.0.0.1:8787 http://127.0.0.1:8000/v1 answers.json
// The second URL is a fake endpoint. See packages/db/fixtures/README.md.
import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const [service = '', endpoint = '', out = ''] = process.argv.slice(2);
const adminKey = process.env.ADMIN_KEY ?? '';
const sample = new URL('../packages/db/sample/', import.meta.url);

interface Asked {
  method?: string;
  key?: string | null;
  body?: unknown;
  headers?: Record<string, string>;
}

async function ask(path: string, { method = 'POST', key = adminKey, body, headers = {} }: Asked = {}) {
  const isText = typeof body === 'string';
  const response = await fetch(`${service}${path}`, {
    method,
    headers: {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined || isText ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return await response.text();
}
const idOf = (text: string): string => JSON.parse(text).id;

const submit = async (file: string, query: Record<string, string>, more: Asked = {}) =>
  idOf(
    await ask(`/v1/submissions?${new URLSearchParams(query)}`, {
      body: await readFile(new URL(file, sample), 'utf8'),
      ...more,
    }),
  );

const { key: submitter } = JSON.parse(await ask('/v1/accounts', { body: { name: 'submitter' } })) as {
  key: { key: string };
};
const lines = (await readFile(new URL('sglang/result.jsonl', sample), 'utf8')).split('\n').slice(0, 12).join('\n');
const sglang = { model: 'unspecified', gpu: 'unspecified' };
const submitted = [
  await submit('native/qwen3.5-35b-a3b-fp8-h100.json', {}, { headers: { 'idempotency-key': 'a name of a request' } }),
  await submit('native/llama-3.2-1b-sft-rtx-pro-6000.json', {}),
  await submit('llama-bench/gpt-oss-120b.txt', { gpu_power_limit_w: '600' }),
  // The same bytes from another account: a copy.
  await submit('llama-bench/gpt-oss-120b.txt', { gpu_power_limit_w: '600' }, { key: submitter.key }),
  idOf(await ask(`/v1/submissions?${new URLSearchParams(sglang)}`, { body: lines, key: submitter.key })),
];
const line = { run_name: 'r', batch_size: 1, input_len: 128, output_len: 64, latency: 0.51, output_throughput: 138 };
const odd = async (n: number, gpu: string) => {
  const query = new URLSearchParams({ model: 'Llama-3.1-8B-Instruct', quantization: 'bf16', gpu });
  const body = JSON.stringify({ ...line, output_throughput: 138 + n, overall_throughput: 378 });
  return idOf(await ask(`/v1/submissions?${query}`, { body }));
};
const [held, cleared, mapped, retracted] = [
  await odd(1, 'a gpu of 2031'),
  await odd(2, 'a gpu of 2032'),
  await odd(3, 'my card'),
  await odd(4, 'h100-sxm'),
];
await ask(`/v1/submissions/${cleared}/review`, { body: { decision: 'clear', note: 'it is real' } });
await ask(`/v1/submissions/${mapped}/review`, { body: { decision: 'map', gpu: 'a100-sxm-80gb', note: 'it is this' } });
await ask(`/v1/submissions/${retracted}/retract`, { body: { reason: 'the clock was wrong' } });

const model = 'meta-llama/Llama-3.1-8B-Instruct';
const registered = {
  ...{ name: 'fake', base_url: endpoint, api_key: 'sk-sealed-in-a-fixture', model, gpu: 'h100-sxm', gpu_count: 1 },
  ...{ quantization: 'fp8', engine: 'vllm', engine_version: '0.11.0' },
};
const endpointId = idOf(await ask('/v1/endpoints', { body: registered }));
await ask(`/v1/endpoints/${endpointId}/approve`);
// No server listens there, so the message is retried.
await ask('/v1/webhooks', { body: { url: 'http://127.0.0.1:1024/told', events: ['run.ended'] } });
const point = { scenario: 'chatbot', load: { mode: 'concurrency', level: 2 }, requests: 4, warmup: 0 };
const run = idOf(await ask('/v1/runs', { body: { endpoint_id: endpointId, plan: [point] } }));
await ask('/v1/schedules', { body: { endpoint_id: endpointId, plan: [point], cron: '30 3 * * MON' } });
for (;;) {
  const { state } = JSON.parse(await ask(`/v1/runs/${run}`, { method: 'GET' })) as { state: string };
  if (state === 'processed') break;
  if (state === 'failed') throw new Error('the run failed');
  await sleep(500);
}

const answers: Record<string, unknown> = {};
const all = [...submitted, held, cleared, mapped, retracted];
for (const path of [
  ...all.map((id) => `/v1/submissions/${id}`),
  `/v1/runs/${run}`,
  '/v1/results?include=quarantined,retracted&limit=200',
  '/v1/systems?limit=200',
])
  answers[path] = JSON.parse(await ask(path, { method: 'GET', key: null }));
await writeFile(out, `${JSON.stringify(answers)}\n`);
console.log(`${Object.keys(answers).length} answers written to ${out}`);
