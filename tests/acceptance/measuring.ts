import { deepEqual, equal, ok } from 'node:assert/strict';
import { startFakeServer } from '../../packages/loadgen/src/fake-server/fake-server.ts';
import { ask, askAll, post, type Step, type World } from './world.ts';

interface Event {
  id: string | null;
  name: string;
  data: { state?: string };
}

/** The events of a run until the last one. Reconnects after an interruption, as browsers do. */
async function watch({ url }: World, run: string, after = 0): Promise<Event[]> {
  const events: Event[] = [];
  for (let attempt = 0; attempt < 10 && events.at(-1)?.name !== 'end'; attempt += 1) {
    const last = events.findLast(({ id }) => id !== null)?.id ?? String(after);
    const stream = await fetch(`${url}/v1/runs/${run}/events`, { headers: { 'last-event-id': last } });
    equal(stream.status, 200);
    equal(stream.headers.get('content-type')?.split(';')[0], 'text/event-stream');
    let rest = '';
    try {
      for await (const piece of stream.body ?? []) {
        const frames = (rest + Buffer.from(piece).toString()).split('\n\n');
        rest = frames.pop() ?? '';
        for (const frame of frames) {
          const field = (name: string) => new RegExp(`^${name}: ?(.*)$`, 'm').exec(frame)?.[1] ?? null;
          const [name, data] = [field('event'), field('data')];
          if (name !== null && data !== null) events.push({ id: field('id'), name, data: JSON.parse(data) });
        }
      }
    } catch {
      // The stream was interrupted; the next attempt resumes it.
    }
  }
  return events;
}

const model = 'meta-llama/Llama-3.1-8B-Instruct';

export const measuring: readonly Step[] = [
  [
    'a managed run measures an endpoint, reports its progress, and is published',
    async (world) => {
      const options = { ttftMs: 20, itlMs: 2, slots: 8, model };
      const fake = await startFakeServer({ ...options, proofPath: '/.well-known/inferboard-proof' });
      try {
        const endpoint = await post(
          world,
          '/v1/endpoints',
          world.key,
          {
            ...{ name: world.accountName, base_url: `http://127.0.0.1:${fake.port}/v1`, model },
            ...{ gpu: 'h100-sxm', gpu_count: 1, quantization: 'fp8', engine: 'vllm', engine_version: '0.11.0' },
          },
          201,
        );
        const { id } = endpoint.body;
        equal((await post(world, `/v1/endpoints/${id}/check`, world.key, undefined, 200)).body.serves_model, true);
        await post(world, `/v1/endpoints/${id}/approve`, world.adminKey, undefined, 200);
        const plan = [1, 4].map((level) => ({
          ...{ scenario: 'chatbot', load: { mode: 'concurrency', level } },
          ...{ requests: 6, warmup: 0 },
        }));
        const run = await post(world, '/v1/runs', world.key, { endpoint_id: id, plan, repetitions: 1 }, 201);
        const events = await watch(world, run.body.id);
        deepEqual([events.at(-1)?.name, events.at(-1)?.data.state], ['end', 'processed']);
        equal(events.filter(({ name }) => name === 'point').length, plan.length);
        ok(events.some(({ name }) => name === 'progress'));
        const ids = events.flatMap((event) => (event.id === null ? [] : [Number(event.id)]));
        deepEqual(
          ids,
          ids.map((_, index) => index + 1),
          'an event is missing or was sent twice',
        );
        const seen = await askAll(world, `/v1/runs/${run.body.id}`);
        const { body } = await ask(world, `/v1/submissions/${seen.submissions[0].id}`);
        equal(body.results.length, plan.length);
        for (const { trust, status, metrics } of body.results) {
          // The fake endpoint identifies itself, so its results are not on the boards of the installation.
          deepEqual([trust, status], ['managed', 'simulated']);
          ok(metrics.ttft_ms_mean >= 20 && metrics.requests_failed === 0);
        }
        ok((await ask(world, `/runs/${run.body.id}`)).text.includes('</html>'));
      } finally {
        await fake.close();
      }
    },
  ],
];
