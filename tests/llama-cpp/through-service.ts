import { setTimeout as sleep } from 'node:timers/promises';
import { adminKey, createAccount, createDataDir, startAt } from '../support/server.ts';
import type { MeasuredRequest } from './compare.ts';
import type { Load } from './loads.ts';
import { requestsOf } from './report.ts';

/** A service with a registered endpoint. */
export interface MeasuringService {
  /** Measures a load in a managed run. */
  measure(load: Load): Promise<MeasuredRequest[]>;
  close(): Promise<void>;
}

const pollMs = 200;

/** Starts the product on an empty folder and registers a server as an endpoint. */
export async function startMeasuringService(serverUrl: string): Promise<MeasuringService> {
  const place = await createDataDir();
  const service = await startAt(place, { SAMPLE_DATA: 'false', ENDPOINT_ALLOW_CIDRS: '127.0.0.0/8' });
  const key = await createAccount(service.url, 'llama-cpp');
  const ask = async (path: string, as: string, body?: object): Promise<string> => {
    const headers = { authorization: `Bearer ${as}`, 'content-type': 'application/json' };
    const isRead = body === undefined;
    const response = await fetch(
      service.url + path,
      isRead ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) },
    );
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.text();
  };
  const facts = { gpu: 'h100-sxm', gpu_count: 1, quantization: 'fp32', engine: 'llama.cpp', engine_version: 'b1' };
  const created = await ask('/v1/endpoints', key, {
    name: 'tiny',
    base_url: `${serverUrl}/v1`,
    model: 'tiny',
    ...facts,
  });
  const endpoint_id = (JSON.parse(created) as { id: string }).id;
  await ask(`/v1/endpoints/${endpoint_id}/check`, key, {});
  await ask(`/v1/endpoints/${endpoint_id}/approve`, adminKey, {});
  return {
    measure: async ({ mode, level, requests, tokens }) => {
      const scenario = { input_tokens: 64, output_tokens: tokens };
      const item = { scenario, load: { mode, level }, requests, warmup: 0 };
      const run = await ask('/v1/runs', key, { endpoint_id, plan: [item], repetitions: 1 });
      const { id } = JSON.parse(run) as { id: string };
      for (;;) {
        const seen = JSON.parse(await ask(`/v1/runs/${id}`, key)) as {
          state: string;
          submissions: { id: string }[];
        };
        if (seen.state === 'failed') throw new Error(`the run failed: ${JSON.stringify(seen)}`);
        if (seen.state === 'processed')
          return requestsOf(await ask(`/v1/submissions/${seen.submissions[0]?.id}/artifact`, key));
        await sleep(pollMs);
      }
    },
    close: () => service.dispose(),
  };
}
