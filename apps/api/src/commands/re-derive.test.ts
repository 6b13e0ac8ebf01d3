import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { builtCommand } from '../testing/built-command.ts';
import { useConcerns } from '../testing/concerns.ts';
import { type Answer, adminKey, useTestApp } from '../testing/index.ts';

import { rederiveStored } from './rederive-stored.ts';

const run = promisify(execFile);
const script = builtCommand('re-derive');
const app = useTestApp();
const db = () => app.deps.database;

/** The output of the command's function. */
async function rederive(apply: '--apply' | null = null): Promise<string> {
  const { artifacts } = app.deps;
  const lines: string[] = [];
  const wanted = { apply: apply !== null, tool: null, after: '', all: false, release: '0.1.0', artifacts };
  const isDone = await rederiveStored(app.databaseUrl, wanted, (line) => lines.push(line));
  return isDone ? lines.join('\n') : 'refused';
}

async function command(...more: string[]) {
  const env = { PATH: process.env.PATH ?? '', DATABASE_URL: app.databaseUrl };
  return run(process.execPath, [script, ...more], { env }).then(
    ({ stdout, stderr }) => ({ code: 0, text: stdout + stderr }),
    (error: { code: number; stdout: string; stderr: string }) => ({
      code: error.code,
      text: error.stdout + error.stderr,
    }),
  );
}

interface Finding {
  code: string;
  message: string;
  evidence: { changed?: Record<string, [unknown, unknown]> };
}
type Submission = Omit<Answer, 'results'> & {
  results: (Omit<Answer['results'][number], 'findings'> & { id: string; trust: string; findings: Finding[] })[];
};

const line = (n: number, more: object = {}) => ({
  run_name: `run${n}`,
  batch_size: 1,
  input_len: 128,
  output_len: 64,
  latency: 0.51,
  output_throughput: 138.03 + n,
  overall_throughput: 377.82,
  ...more,
});
const facts = { model: 'Llama-3.1-8B-Instruct', gpu: 'h100-sxm', quantization: 'bf16' };
let key = '';
beforeAll(async () => {
  key = await app.createAccount('submitter');
});

async function submit(lines: object[], query: Record<string, string> = {}): Promise<string> {
  const artifact = lines.map((one) => JSON.stringify(one)).join('\n');
  const response = await app.submit(artifact, { ...facts, ...query }, key);
  expect(response.status).toBe(201);
  return ((await response.json()) as Answer).id;
}
const find = (id: string) => app.get<Submission>(`/v1/submissions/${id}`);

/** Stores a result as if an earlier release had parsed and aggregated it differently. */
async function readOtherwise(id: string, columns: string): Promise<void> {
  await db().sql.unsafe(`update results set ${columns} where submission_id = '${id}'`);
  await db().sql`update point_statistics set output_tok_s = 1 where point_id in (
    select point_id from results where submission_id = ${id})`;
}
const without = (submission: Submission, code: string) => ({
  ...submission,
  results: submission.results.map((result) => ({
    ...result,
    findings: result.findings.filter((finding) => finding.code !== code),
  })),
});
const boardValue = async (id: string) => {
  const system = (await find(id)).results[0]?.system.id;
  const board = await app.get<{ data: { value: number; system: { id: string } }[] }>(
    '/v1/leaderboard?rank_by=output_tok_s&limit=200',
  );
  return board.data.find((entry) => entry.system.id === system)?.value;
};

// Each test leaves the data as this release would store them.
afterAll(async () => {
  expect(await rederive()).toContain('No changes.');
});

test('does not change results stored by this release', async () => {
  await submit([line(1), line(2, { batch_size: 4 })]);
  const { text, code } = await command();
  expect(text).toContain('1 of 1 submissions read, 0 would change');
  expect(text).toContain('No changes.');
  expect(code).toBe(0);
});

test('lists figures that an earlier release read differently, corrects them and keeps the old values', async () => {
  const id = await submit([line(3)], { engine: 'sglang', engine_version: '0.4.3' });
  const right = await find(id);
  const figure = right.results[0]?.metrics.output_tok_s;
  const wrong = `output_tok_s = 7, ttft_ms_mean = 5, extra = '{"seen": "by an earlier release"}'`;
  await readOtherwise(id, wrong);
  const stored = await find(id);

  const looked = await rederive();
  expect(looked).toMatch(new RegExp(`output_tok_s +1 +1 +7 → ${figure} +${id}`));
  expect(looked).toMatch(/ttft_ms_mean +1 +1 +5 → - /);
  expect(looked).toContain('Nothing was written');
  expect(await find(id)).toEqual(stored);

  const applied = await command('--apply');
  expect(applied.code).toBe(0);
  const now = await find(id);
  expect(without(now, 're_derived')).toEqual(right);
  const finding = now.results[0]?.findings.find(({ code }) => code === 're_derived');
  expect(finding?.message).toContain(`output_tok_s was 7 and is ${figure}`);
  expect(finding?.evidence.changed).toEqual({ output_tok_s: [7, figure], ttft_ms_mean: [5, null] });
  expect(await boardValue(id)).toBe(figure);

  const [version] = await db().sql`
    select v.version, v.was, d.release, d.submissions_changed, d.ended_at from result_versions v
    join rederivations d on d.id = v.rederivation_id where v.result_id = ${now.results[0]?.id ?? ''}`;
  expect(version).toMatchObject({
    version: 1,
    release: expect.stringMatching(/^\d+\.\d+\.\d+/),
    submissions_changed: 1,
    ended_at: expect.any(Date),
  });
  expect(version?.was).toMatchObject({ output_tok_s: 7, ttft_ms_mean: 5, system_id: now.results[0]?.system.id });
});

test('corrects the definition of latencies that an earlier release called those of one batch', async () => {
  const log = await readFile(
    new URL('../../../../packages/core/fixtures/mlperf-loadgen/4.1-offline-invalid.txt', import.meta.url),
    'utf8',
  );
  const response = await app.submit(log, facts, key);
  const { id } = (await response.json()) as Answer;
  await readOtherwise(id, `definitions = definitions || '{"e2e_ms": "whole_batch"}'`);
  expect(await rederive()).toMatch(/definitions +1 +1 +\{.*"whole_batch".* → \{/);
  await rederive('--apply');
  const [result] = (await find(id)).results;
  expect(result).toMatchObject({ definitions: { e2e_ms: 'from_run_start' }, metrics: { e2e_ms_mean: 100_000 } });
  expect(result?.findings.map(({ code }) => code)).toContain('re_derived');
});

test('adds missing request sequences, which detect copies, to results of earlier releases', async () => {
  const records = await readFile(new URL('../../../../packages/core/fixtures/native/v1-records.json', import.meta.url));
  expect((await app.submit(records, {}, key)).status).toBe(201);
  const kept = async () => [...(await db().sql`select * from request_sequences order by result_id`)];
  const before = await kept();
  expect(before).toHaveLength(1);
  await db().sql`delete from request_sequences`;
  await rederive();
  expect(await kept()).toEqual([]);
  expect(await rederive('--apply')).toContain('No changes.');
  expect(await kept()).toEqual(before);
});

test('renames systems that an earlier release labelled differently', async () => {
  const id = await submit([line(12)], { engine: 'sglang', engine_version: '0.4.5', quantization: 'fp8_e4m3' });
  const label = async () => (await find(id)).results[0]?.system.label;
  expect(await label()).toContain(' · FP8 · ');
  await db().sql`update systems set label = 'an earlier label' where label = ${(await label()) ?? ''}`;
  expect(await rederive()).toContain('No changes.');
  expect(await label()).toBe('an earlier label');
  expect(await rederive('--apply')).toContain('No changes.');
  expect(await label()).toContain(' · FP8 · ');
});

test('moves the point of a system that an earlier release did not recognise', async () => {
  const id = await submit([line(4)], { engine: 'sglang', engine_version: '0.4.4' });
  const right = await find(id);
  await db().sql`
    insert into systems select (jsonb_populate_record(s, '{"id": "sys_of_an_earlier_release", "gpu_id": null}')).*
    from systems s where id = ${right.results[0]?.system.id ?? ''}`;
  await db().sql`update points set system_id = 'sys_of_an_earlier_release' where id in (
    select point_id from results where submission_id = ${id})`;
  expect(await rederive()).toMatch(/system +1 +1 /);
  await rederive('--apply');
  expect(without(await find(id), 're_derived')).toEqual(right);
  const left = await db().sql`
    select 1 from point_statistics t join points p on p.id = t.point_id where p.system_id = 'sys_of_an_earlier_release'`;
  expect(left).toEqual([]);
});

test('keeps retractions and admin decisions', async () => {
  const act = (id: string, action: string, body: object) =>
    app.request(`/v1/submissions/${id}/${action}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const retracted = await submit([line(5)]);
  await act(retracted, 'retract', { reason: 'the clock was wrong' });
  const [cleared, mapped] = [
    await submit([line(6)], { gpu: 'gpu of 2031' }),
    await submit([line(7)], { gpu: 'my card' }),
  ];
  await act(cleared, 'review', { decision: 'clear', note: 'a real one' });
  await act(mapped, 'review', { decision: 'map', gpu: 'a100-sxm-80gb', note: 'it is this' });
  const before = await Promise.all([retracted, cleared, mapped].map(find));
  expect(before.map(({ results }) => results[0]?.status)).toEqual(['retracted', 'accepted', 'accepted']);

  for (const id of [retracted, cleared, mapped]) await readOtherwise(id, 'output_tok_s = 9');
  await rederive('--apply');
  const after = await Promise.all([retracted, cleared, mapped].map(find));
  expect(after.map((one) => without(one, 're_derived'))).toEqual(before);
  expect(after.every(({ results }) => results[0]?.findings.some(({ code }) => code === 're_derived'))).toBe(true);
  expect(after[2]?.results[0]?.findings.map(({ code }) => code)).toContain('reviewed');
});

test('names an artifact that now gives another number of results, and does not change it', async () => {
  const id = await submit([line(8), line(9, { batch_size: 2 })]);
  await readOtherwise(id, 'output_tok_s = 9');
  const [row] = await db().sql`select * from artifacts where sha256 = (
    select artifact_sha256 from submissions where id = ${id})`;
  const store = (bytes: Uint8Array) => db().sql`update artifacts set bytes = ${bytes} where sha256 = ${row?.sha256}`;
  const stored = await find(id);
  await store(Buffer.from(JSON.stringify(line(8))));
  expect(await rederive('--apply')).toContain(`it now gives 1 results instead of 2 (${id})`);
  await store(Buffer.from('nothing that a tool wrote'));
  expect(await rederive('--apply')).toContain(`tool_unrecognised`);
  expect(await find(id)).toEqual(stored);
  await store(row?.bytes);
  await rederive('--apply');
});

test('resumes an interrupted run, and rejects a second concurrent run', async () => {
  const ids = [await submit([line(10)]), await submit([line(11)])];
  for (const id of ids) await readOtherwise(id, 'output_tok_s = 9');
  await db().sql`insert into rederivations (id, release, reached) values ('red_broken_off', '0.1.0', ${ids[0] ?? ''})`;
  const text = await rederive('--apply');
  expect(text).toContain('where red_broken_off stopped');
  expect(text).toContain('1 of 1 submissions changed');
  expect((await find(ids[0] ?? '')).results[0]?.metrics.output_tok_s).toBe(9);
  await rederive('--apply');
  expect((await find(ids[0] ?? '')).results[0]?.metrics.output_tok_s).not.toBe(9);

  await db().sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(4707230616)`;
    expect(await rederive('--apply')).toBe('refused');
  });
});

test('reports unknown arguments', async () => {
  expect(await command('--aply')).toEqual({
    code: 1,
    text: expect.stringContaining('npm run re-derive -- [--apply]'),
  });
  expect(await command('--help')).toEqual({
    code: 0,
    text: expect.stringContaining('Without --apply it is a dry run.'),
  });
});

// No check finds a result that an admin removed for a reader's concern. A plain re-derivation would restore it.
test('keeps a result off the boards after an upheld concern', async () => {
  const id = await submit([line(70)]);
  const concerns = useConcerns(app);
  const { body } = await concerns.report(id);
  await concerns.decide(body.id, { decision: 'upheld', note: 'Another machine.', action: 'quarantine' });
  const right = await find(id);
  expect(right.status).toBe('quarantined');
  await readOtherwise(id, 'output_tok_s = 1');
  expect(await rederive('--apply')).toContain('1 changed');
  const now = await find(id);
  expect(without(now, 're_derived')).toEqual(right);
  expect(now.results[0]?.findings.map(({ code }) => code)).toContain('concern_upheld');
});
