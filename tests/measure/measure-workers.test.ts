import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readArtifact } from '../../packages/core/src/adapters/index.ts';
import { createMeasureCommand, type MeasureCommand } from '../support/measure-command.ts';

// Workers share one schedule: together they send the plan's requests, each once.

let command: MeasureCommand;
let server: Server;
let url: string;
/** The received requests, without the unique part of each prompt. */
let seen: { prompt: string; socket: unknown }[] = [];

beforeAll(async () => {
  command = await createMeasureCommand();
  server = createServer((req, res) => {
    let text = '';
    req.on('data', (bytes: Buffer) => {
      text += bytes.toString();
    });
    req.on('end', () => {
      if (req.method === 'GET') return res.writeHead(404).end();
      const { stream, messages } = JSON.parse(text) as { stream: boolean; messages: { content: string }[] };
      const prompt = messages.map(({ content }) => content).join(' ');
      const usage = { prompt_tokens: prompt.split(/\s+/).length + 3, completion_tokens: 4 };
      if (!stream) return res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ usage }));
      seen.push({ prompt, socket: req.socket });
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      const event = (delta: object, more = {}) =>
        `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: null }], ...more })}\n\n`;
      res.write(event({ content: 'a' }));
      setTimeout(() => {
        for (const content of ['b', 'c', 'd']) res.write(event({ content }));
        res.end(
          `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'length' }], usage })}\n\ndata: [DONE]\n\n`,
        );
      }, 15);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await command.dispose();
});

const digest = (text: string) => createHash('sha256').update(text).digest('hex');

/** The schedule and the prompts of a measurement: the planned time and the content of each request. */
async function measure(workers: number, load: readonly string[], name: string) {
  seen = [];
  const args = ['--url', url, '--model', 'm', '--input-tokens', '48', '--output-tokens', '4', '--seed', '11'];
  const out = join(command.folder, name);
  const common = ['--warmup', '0', '--requests', '90', '--out', out, '--workers', String(workers)];
  const { code, errors } = await command.run([...args, ...common, ...load]);
  expect([code, errors]).toEqual([0, expect.stringContaining('records: ')]);
  const [result] = readArtifact(await readFile(out)).results;
  return {
    requests: result?.requests ?? [],
    prompts: seen.map(({ prompt }) => digest(prompt)),
    sockets: new Set(seen.map(({ socket }) => socket)),
  };
}

test('a rate with three workers sends each request of the schedule once', async () => {
  const { requests, prompts } = await measure(3, ['--rate', '60'], 'three.jsonl');
  expect(requests).toHaveLength(90);
  expect(requests.filter(({ error }) => error !== null)).toEqual([]);
  expect(prompts).toHaveLength(90);
  // All prompts are different.
  expect(new Set(prompts).size).toBe(90);
});

test('a closed loop with three workers keeps its requests in flight and sends each once', async () => {
  const { requests, prompts, sockets } = await measure(3, ['--concurrency', '6'], 'closed.jsonl');
  expect(requests).toHaveLength(90);
  expect(new Set(prompts).size).toBe(90);
  expect(sockets.size).toBe(6);
});

test('rejects an invalid number of workers', async () => {
  const { code, errors } = await command.run(['--url', url, '--workers', '0']);
  expect([code, errors]).toEqual([2, expect.stringContaining('--workers must be a whole number from 1 to 64')]);
});
