import { deepEqual, equal, ok } from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { ask, askAll, isProblem, post, type Step, type World } from './world.ts';

const sample = new URL('../../packages/db/sample/', import.meta.url);

interface Listed {
  file: string;
  parameters: Record<string, string>;
}

const listSamples = async (): Promise<Listed[]> => JSON.parse(await readFile(new URL('manifest.json', sample), 'utf8'));

const submit = (world: World, { parameters }: Listed, bytes: Buffer, headers: Record<string, string> = {}) =>
  ask(world, `/v1/submissions?${new URLSearchParams(parameters)}`, {
    method: 'POST',
    key: world.key,
    headers,
    body: new Uint8Array(bytes),
    expect: [200, 201],
  });

export const submitting: readonly Step[] = [
  [
    'the probes, the OpenAPI document and its reference respond',
    async (world) => {
      await ask(world, '/healthz');
      equal((await ask(world, '/readyz')).body.status, 'ready');
      equal((await ask(world, '/openapi.json')).body.openapi, '3.1.0');
      ok((await ask(world, '/docs')).text.includes('</html>'));
      ok((await ask(world, '/llms.txt')).text.includes('/v1/'));
    },
  ],
  [
    'only the admin can create an account, and its key works immediately',
    async (world) => {
      const nobody = { method: 'POST', body: '{"name":"nobody"}', headers: { 'content-type': 'application/json' } };
      isProblem(await ask(world, '/v1/accounts', { ...nobody, expect: 401 }), 'key_missing');
      const made = await post(world, '/v1/accounts', world.adminKey, { name: world.accountName }, 201);
      world.key = made.body.key.key;
      const dry = await ask(world, '/v1/submissions?dry_run=true', {
        method: 'POST',
        key: world.key,
        body: 'not the output of a tool',
        expect: 422,
      });
      isProblem(dry, 'tool_unrecognised');
    },
  ],
  [
    'an artifact of every sample kind is stored and returned byte for byte',
    async (world) => {
      for (const listed of await listSamples()) {
        const bytes = await readFile(new URL(listed.file, sample));
        const { status, body, headers } = await submit(world, listed, bytes);
        equal(status, 201, listed.file);
        equal(headers.get('location'), body.links.self);
        ok(body.results.length > 0, listed.file);
        world.submissions.push({ id: body.id, file: listed.file, bytes, results: body.results.length });
        for (const { system } of body.results) if (!world.systems.includes(system.id)) world.systems.push(system.id);
      }
      for (const { id, file, bytes, results } of world.submissions) {
        equal((await ask(world, `/v1/submissions/${id}`)).body.results.length, results, file);
        deepEqual((await ask(world, `/v1/submissions/${id}/artifact`)).bytes, bytes, file);
      }
    },
  ],
  [
    'a repeated upload returns the first submission, by content and by idempotency key',
    async (world) => {
      const [listed] = await listSamples();
      const [first] = world.submissions;
      ok(listed !== undefined && first !== undefined);
      const again = await submit(world, listed, first.bytes);
      deepEqual([again.status, again.body.id, again.body.duplicate], [200, first.id, true]);
      const name = { 'idempotency-key': `${world.accountName}-once` };
      const named = await submit(world, listed, first.bytes, name);
      const replayed = await submit(world, listed, first.bytes, name);
      equal(replayed.text, named.text);
      equal(replayed.headers.get('idempotency-replayed'), 'true');
    },
  ],
  [
    'a retracted submission disappears from the boards of every process immediately',
    async (world) => {
      const record = { run_name: world.accountName, batch_size: 1, input_len: 256, output_len: 512 };
      const figures = { latency: 0.9, output_throughput: 640.5, overall_throughput: 853 };
      const made = await ask(world, '/v1/submissions?model=unspecified&gpu=unspecified&quantization=bf16', {
        method: 'POST',
        key: world.key,
        body: JSON.stringify({ ...record, ...figures }),
        expect: 201,
      });
      const board = `/v1/best?subject=quantization&rank_by=decode_tok_s&workload=decode-bound&account=${world.accountName}&limit=200`;
      const system = made.body.results[0].system.id;
      const isThere = async () =>
        (await askAll(world, board, world.key)).data.some(
          (entry: { system: { id: string } }) => entry.system.id === system,
        );
      const before = await isThere();
      await post(world, `/v1/submissions/${made.body.id}/retract`, world.key, { reason: 'a test of it' }, 200);
      const results = await askAll(world, `/v1/results?account=${world.accountName}&limit=200`, world.key);
      ok(results.data.every((result: { submission_id: string }) => result.submission_id !== made.body.id));
      ok(before, 'it was never on the board');
      equal((await ask(world, `/v1/submissions/${made.body.id}`)).body.status, 'retracted');
    },
  ],
];
