import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAccount, createDataDir, type ServerPlace, startAt, type TestServer } from './support/server.ts';

// The embedded PostgreSQL can be killed like the service: by the kernel's OOM killer or by an operator.

const settings = { SAMPLE_DATA: 'false', ROLES: 'api,worker' };

let place: ServerPlace;
let server: TestServer;
const dataDir = () => place.env.DATA_DIR ?? '';

beforeAll(async () => {
  place = await createDataDir();
  server = await startAt(place, settings);
});
afterAll(async () => {
  await server?.stop();
  await place?.remove();
});

const postmaster = async () =>
  Number((await readFile(join(dataDir(), 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0]);

const submit = (key: string, output_throughput: number) =>
  fetch(`${server.url}/v1/submissions?model=unspecified&gpu=unspecified&quantization=bf16`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({
      ...{ run_name: 'loss', batch_size: 1, input_len: 256, output_len: 512, latency: 3.8 },
      ...{ output_throughput, overall_throughput: 202.2 },
    }),
  });

describe('a service whose embedded PostgreSQL is killed', () => {
  test('recovers with the same data, repeatedly', async () => {
    const key = await createAccount(server.url, 'witness');
    const stored: string[] = [];
    for (const speed of [150, 150.1]) {
      const answer = await submit(key, speed);
      expect(answer.status).toBe(201);
      stored.push(((await answer.json()) as { id: string }).id);
      const pid = await postmaster();
      const from = performance.now();
      process.kill(pid, 'SIGKILL');
      await expect.poll(postmaster).not.toBe(pid);
      await expect.poll(async () => (await fetch(`${server.url}/readyz`)).status).toBe(200);
      // This takes 1 s on an idle machine. A loaded one has no time limit.
      console.log(`answers ${Math.round(performance.now() - from)} ms after its database was killed`);
      for (const id of stored) expect((await fetch(`${server.url}/v1/submissions/${id}`)).status).toBe(200);
    }
    expect((await submit(key, 150.2)).status).toBe(201);
  });

  // A server that starts without its data would show an empty board.
  test('exits with one line if the data is deleted', async () => {
    const exited = new Promise<number | null>((resolve) => server.process.once('exit', resolve));
    const before = server.output.length;
    const pid = await postmaster();
    await rm(join(dataDir(), 'postgres'), { recursive: true, force: true });
    process.kill(pid, 'SIGKILL');
    expect(await exited).toBe(1);
    const lines = server.output.slice(before).filter((line) => !line.startsWith('{'));
    expect(lines).toEqual([
      expect.stringMatching(/^The embedded PostgreSQL stopped and cannot be restarted: \S.* was removed\.$/),
    ]);
  });
});
