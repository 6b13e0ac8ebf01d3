import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startFakeServer } from '../../packages/loadgen/src/fake-server/fake-server.ts';
import type { Body } from '../acceptance/world.ts';
import { type Family, holds, Missed } from './attack.ts';
import { bothSenders } from './outcome.ts';
import type { Account, World } from './world.ts';

const measure = fileURLToPath(new URL('../../packages/loadgen/src/cli/main.ts', import.meta.url));
const model = 'meta-llama/Llama-3.1-8B-Instruct';
const fake = { model, ttftMs: 20, itlMs: 2, slots: 8 };

/** Output of our load generator for a fake endpoint that is declared as an H100. */
async function measureFake(version: string): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'inferboard-attack-'));
  const server = await startFakeServer(fake);
  try {
    const out = join(dir, 'records.jsonl');
    const facts = {
      ...{ url: `http://127.0.0.1:${server.port}`, concurrency: '2', requests: '8', warmup: '0', seed: '7', out },
      ...{ gpu: 'h100-sxm', 'gpu-count': '1', quantization: 'fp8', engine: 'vllm', 'engine-version': version },
      ...{ 'input-tokens': '64', 'output-tokens': '8' },
    };
    const given = Object.entries(facts).flatMap(([name, value]) => [`--${name}`, value]);
    const child = spawn(process.execPath, [measure, ...given], { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    for await (const piece of child.stderr) said += piece;
    if (child.exitCode === null) await new Promise((resolve) => child.once('exit', resolve));
    if (child.exitCode !== 0) throw new Error(`npm run measure ended with ${child.exitCode}: ${said.slice(-300)}`);
    return await readFile(out, 'utf8');
  } finally {
    await server.close();
    await rm(dir, { recursive: true, force: true });
  }
}

async function standsNowhere(world: World, stored: Body): Promise<string> {
  const statuses = new Set<string>(stored.results.map(({ status }: Body) => status));
  holds(statuses.size === 1 && statuses.has('simulated'), `stored as ${[...statuses].join(', ')}`);
  const systems = new Set(stored.results.map(({ system }: Body) => system.id));
  for (const rank_by of ['output_tok_s', 'output_tok_s_per_gpu', 'ttft_ms_mean']) {
    const entries = await world.board({ rank_by, gpu: 'h100' });
    holds(!entries.some(({ system }) => systems.has(system.id)), `it stands on the board of ${rank_by}`);
  }
  return 'simulated, on no board';
}

/** A finished managed run of an endpoint; null if this installation does not allow endpoints on this machine. */
async function runManaged(world: World, { key, name }: Account): Promise<Body | null> {
  const proofPath = '/.well-known/inferboard-proof';
  const server = await startFakeServer({ ...fake, proofPath });
  const post = async (path: string, json: object | undefined, by = key) => {
    const { status, text, body } = await world.send(path, { method: 'POST', key: by, json });
    if (status >= 300) throw new Error(`POST ${path}: ${status} ${text.slice(0, 200)}`);
    return body;
  };
  try {
    const json = {
      ...{ name, base_url: `http://127.0.0.1:${server.port}/v1`, model },
      ...{ gpu: 'h100-sxm', gpu_count: 1, quantization: 'fp8', engine: 'vllm', engine_version: '0.11.0' },
    };
    const registered = await world.send('/v1/endpoints', { method: 'POST', key, json });
    if (registered.status === 422 && registered.text.includes('Requests to this URL are not allowed')) return null;
    if (registered.status !== 201)
      throw new Error(`POST /v1/endpoints: ${registered.status} ${registered.text.slice(0, 200)}`);
    const endpoint = registered.body;
    if (!(await post(`/v1/endpoints/${endpoint.id}/check`, undefined)).reachable) return null;
    await post(`/v1/endpoints/${endpoint.id}/approve`, undefined, world.adminKey);
    const plan = [{ scenario: 'chatbot', load: { mode: 'concurrency', level: 1 }, requests: 4, warmup: 0 }];
    const { id } = await post('/v1/runs', { endpoint_id: endpoint.id, plan, repetitions: 1 });
    // The stream ends with the run.
    await world.get(`/v1/runs/${id}/events`);
    const run = await world.get(`/v1/runs/${id}`);
    const [submission] = run.submissions;
    if (submission === undefined) throw new Missed(`the run ended as ${run.state}, with nothing stored`);
    return world.get(`/v1/submissions/${submission.id}`);
  } finally {
    await server.close();
  }
}

/** Results that were not measured on real hardware. */
export const simulated: Family = async (world) => {
  const senders = await bothSenders(world);
  const measured = await measureFake(`0.11.0+${world.run}.fake`);
  const attempt = async (change: (report: string) => string) => {
    const report = change(measured);
    const said: string[] = [];
    for (const [kind, account] of senders)
      said.push(`${kind}: ${await standsNowhere(world, await world.stored(account, report))}`);
    return said.join('; ');
  };
  const must = 'simulated, not on a board';
  return [
    {
      ...{ name: 'measured on our fake endpoint and labelled H100', must },
      attempt: () => attempt((report) => report),
    },
    {
      ...{ name: 'the same without the records of its requests', must },
      attempt: () =>
        attempt((report) =>
          report
            .trim()
            .split('\n')
            .map((line) => {
              const document = JSON.parse(line);
              const metrics = { output_tok_s: 700, ttft_ms_mean: 20.5 };
              const results = document.results.map(({ requests: _, ...result }: Body) => ({ ...result, metrics }));
              return JSON.stringify({ ...document, results });
            })
            .join('\n'),
        ),
    },
    {
      ...{ name: 'a managed run on our fake endpoint, labelled H100', must },
      attempt: async () => {
        const stored = await runManaged(world, await world.vouched());
        if (stored === null) return 'not measured: this installation calls no addresses of this machine';
        return standsNowhere(world, stored);
      },
    },
  ];
};
