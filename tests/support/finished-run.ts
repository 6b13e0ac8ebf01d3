import type { FakeServer } from '../../packages/loadgen/src/fake-server/fake-server.ts';
import { adminKey } from './server.ts';

const model = 'meta-llama/Llama-3.1-8B-Instruct';

/** Settings of a service whose managed runs may use model servers on this machine. */
export const runSettings = { ENDPOINT_ALLOW_CIDRS: '127.0.0.0/8', SECRET_KEY: 'a-secret-key-of-this-test-0123' };

async function ask<T>(url: string, body?: object): Promise<T> {
  const response = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

/** Measures a fake server that has metrics with a managed run, at 2 and 8 users. Returns the id of the finished run. */
export async function finishRun(url: string, { port }: FakeServer): Promise<string> {
  const { id: endpoint_id } = await ask<{ id: string }>(`${url}/v1/endpoints`, {
    ...{
      name: 'h100-node-1',
      base_url: `http://127.0.0.1:${port}/v1`,
      metrics_url: `http://127.0.0.1:${port}/metrics`,
    },
    ...{ model, gpu: 'h100-sxm', gpu_count: 1, quantization: 'fp8', engine: 'vllm', engine_version: '0.11.0' },
  });
  await ask(`${url}/v1/endpoints/${endpoint_id}/approve`, {});
  const point = (level: number, requests: number) => ({
    scenario: { input_tokens: 64, output_tokens: 32 },
    ...{ load: { mode: 'concurrency', level }, requests, warmup: 0 },
  });
  const { id } = await ask<{ id: string }>(`${url}/v1/runs`, { endpoint_id, plan: [point(2, 40), point(8, 200)] });
  for (;;) {
    const { state } = await ask<{ state: string }>(`${url}/v1/runs/${id}`);
    if (state === 'processed') return id;
    if (state === 'failed' || state === 'canceled') throw new Error(`the run is ${state}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
