import { afterAll, describe, expect, it } from 'vitest';
import {
  createAccount,
  createDataDir,
  createPlace,
  type ServerPlace,
  startAt,
  type TestServer,
} from './support/server.ts';

const settings = { SAMPLE_DATA: 'false', ROLES: 'api' };
const places: ServerPlace[] = [];
const servers: TestServer[] = [];

async function start(place: ServerPlace): Promise<TestServer> {
  const server = await startAt(place, settings);
  servers.push(server);
  return server;
}

afterAll(async () => {
  for (const server of servers) await server.stop();
  for (const place of places) await place.remove();
});

/** A unique record, by its figures and its run name. */
const record = (i: number) =>
  JSON.stringify({
    run_name: `stream_${i}`,
    batch_size: 1,
    input_len: 256,
    output_len: 512,
    latency: 3.8,
    output_throughput: 150 + i / 1000,
    overall_throughput: 202.2,
  });

const query = 'model=llama-3.1-8b-instruct&gpu=h100-sxm&gpu_count=1&quantization=fp8';

/** Submits in a loop until the server is gone; returns the acknowledged submissions. */
async function stream(
  server: TestServer,
  key: string,
  worker: number,
  onAcknowledged: () => void = () => {},
): Promise<Map<string, string>> {
  const acknowledged = new Map<string, string>();
  for (let i = 0; i < 400; i += 1) {
    const body = record(worker * 1000 + i);
    try {
      const response = await fetch(`${server.url}/v1/submissions?${query}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}` },
        body,
      });
      if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
      const { id } = (await response.json()) as { id: string };
      acknowledged.set(body, id);
      onAcknowledged();
    } catch (error) {
      if (
        server.process.exitCode !== null ||
        server.process.signalCode !== null ||
        String(error).includes('fetch failed')
      )
        break;
      // The response was cut off, so the submission is not acknowledged.
      if (String(error).includes('terminated')) break;
      throw error;
    }
  }
  return acknowledged;
}

describe('a service killed during a stream of submissions', () => {
  it('has every acknowledged submission exactly once after a restart', async () => {
    const place = await createPlace();
    places.push(place);
    const first = await start(place);
    const key = await createAccount(first.url, 'streamer');
    let count = 0;
    const onAcknowledged = () => {
      count += 1;
      // Kill between two responses to one client, during the work on the others.
      if (count === 30) setTimeout(() => void first.kill(), 5);
    };
    const maps = await Promise.all([0, 1, 2, 3].map((worker) => stream(first, key, worker, onAcknowledged)));
    const acknowledged = maps.flatMap((map) => [...map]);
    expect(acknowledged.length).toBeGreaterThanOrEqual(30);

    const second = await start(place);
    console.log(
      `killed after ${acknowledged.length} acknowledged submissions; ready again in ${Math.round(second.readyMs)} ms`,
    );
    const ready = await fetch(`${second.url}/readyz`);
    expect(ready.status).toBe(200);

    const seen = new Map<string, number>();
    let cursor: string | null = null;
    do {
      const page = await fetch(`${second.url}/v1/submissions?limit=200${cursor ? `&cursor=${cursor}` : ''}`);
      const { data, next_cursor } = (await page.json()) as { data: { id: string }[]; next_cursor: string | null };
      for (const { id } of data) seen.set(id, (seen.get(id) ?? 0) + 1);
      cursor = next_cursor;
    } while (cursor !== null);
    for (const [, id] of acknowledged) expect(seen.get(id)).toBe(1);
    // Stored but unacknowledged submissions are at most those in flight.
    expect(seen.size - acknowledged.length).toBeLessThanOrEqual(4);

    // The statistics include exactly the stored results.
    const board = await fetch(`${second.url}/v1/best?subject=quantization&rank_by=decode_tok_s`);
    const { data } = (await board.json()) as { data: { statistics: { n: number } }[] };
    expect(data[0]?.statistics.n).toBe(seen.size);

    // Resubmitting an acknowledged one returns the first submission.
    const [body, id] = acknowledged[0] ?? ['', ''];
    const again = await fetch(`${second.url}/v1/submissions?${query}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body,
    });
    expect(again.status).toBe(200);
    expect(await again.json()).toMatchObject({ id, duplicate: true });
    expect(await second.stop()).toBe(0);
  });
});

describe('startup', () => {
  it('prints the generated admin key once, and the key works', async () => {
    const place = await createPlace();
    places.push(place);
    const unset = { env: { ...place.env, ADMIN_KEY: '' }, remove: place.remove };
    const first = await start(unset);
    const key =
      /^Admin key \(printed at each start until one is used\): (ib_\S+)$/m.exec(first.output.join('\n'))?.[1] ?? '';
    const made = await fetch(`${first.url}/v1/accounts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: '{"name":"by-admin"}',
    });
    expect(made.status).toBe(201);
    expect(await first.stop()).toBe(0);
    const second = await start(unset);
    expect(second.output.join('\n')).not.toContain('Admin key');
    expect(await second.stop()).toBe(0);
  });

  it('fails with one line while another instance uses the data directory', async () => {
    const place = await createDataDir();
    places.push(place);
    const first = await start(place);
    await expect(start(place)).rejects.toThrow(/is in use by another process \(pid \d+\)/);
    const alive = await fetch(`${first.url}/healthz`);
    expect(alive.status).toBe(200);
  });

  it.each([
    [{ PORT: 'eighty' }, 'PORT must be a port number'],
    [{ ADMIN_KEY: 'short' }, 'ADMIN_KEY must have 24 characters or more'],
    [{ ROLES: 'api,wroker' }, 'ROLES must be one or more of api,worker,site'],
    [{ SAMPLE_DATA: 'maybe' }, 'SAMPLE_DATA must be true, seeds, public or false'],
    [{ PUBLIC_URL: 'example.org' }, 'PUBLIC_URL must be an http or https URL'],
    [{ ENDPOINT_ALLOW_CIDRS: '10.0.0.0/64' }, 'ENDPOINT_ALLOW_CIDRS must be networks'],
    [
      { TMPDIR: '/nonexistent/never-made' },
      'TMPDIR, which stores large request bodies during upload, cannot be written to',
    ],
    [{ DATABASE_URI: 'postgres://x' }, 'DATABASE_URI is not a setting; did you mean DATABASE_URL?'],
  ])('with %o fails with one line that names the variable', async (wrong, message) => {
    const place: ServerPlace = { env: { DATA_DIR: '/nonexistent/never-made' }, remove: async () => {} };
    const failed = startAt(place, { ...settings, ...(wrong as Record<string, string>) });
    await expect(failed).rejects.toThrow(message);
    await expect(failed).rejects.toThrow(/ended with 1:\nCannot start: .*$/);
  });
});
