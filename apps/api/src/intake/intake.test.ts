import { databaseProblem } from '@inferboard/db/connection/errors';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApp } from '../app.ts';
import type { SubmissionJob } from '../submissions/actions/answer-submission.ts';
import { adminKey, answerOf, baseUrl, useTestApp } from '../testing/index.ts';
import { type Intake, startIntake } from './intake.ts';

const parameters = { model: 'Llama-3.1-8B-Instruct', gpu: 'h100-sxm', quantization: 'bf16' };
const query = new URLSearchParams(parameters);

/** Lines of SGLang's batch benchmark; above a certain size the thread parses them. */
const artifact = (lines: number, seed: number) =>
  Array.from({ length: lines }, (_, place) =>
    JSON.stringify({
      run_name: `run${place}`,
      batch_size: 1 + (place % 64),
      input_len: 128,
      output_len: 64,
      latency: 0.51,
      output_throughput: 138 + seed / 1e3 + place / 1e6,
      overall_throughput: 377.82,
    }),
  ).join('\n');

/** One request per second with a reading of the server each, in our own format. */
const observedArtifact = (seconds: number) =>
  JSON.stringify({
    ...{ schema: 'inferboard/v1', tool: 'inferboard-loadgen', scenario: { input_tokens: 64, output_tokens: 16 } },
    system: parameters,
    results: [
      {
        load: { mode: 'concurrency', level: 1 },
        requests: Array.from({ length: seconds }, (_, sent_s) => ({
          ...{ sent_s, output_tokens: 16, ttft_ms: 100, e2e_ms: 400 },
          itl_ms: Array.from({ length: 15 }, () => 20),
        })),
        observed: {
          started_unix_ms: 1_764_000_000_000,
          samples: Array.from({ length: seconds }, (_, s) => ({
            unixMs: 1_764_000_000_000 + 1000 * s,
            values: { waiting: s },
          })),
        },
      },
    ],
  });

describe('the intake thread', () => {
  const here = useTestApp();
  let intake: Intake;
  let app: ReturnType<typeof createApp>;
  let databaseUrl: string;
  let accountId: string;

  beforeAll(async () => {
    const [account] = await here.deps.database.sql<{ id: string }[]>`select id from accounts limit 1`;
    accountId = account?.id ?? '';
    databaseUrl = here.databaseUrl;
    intake = startIntake({ databaseUrl, publicUrl: baseUrl });
    app = createApp({ ...here.deps, intake });
  });
  afterAll(() => intake.close());

  const post = (body: string, headers: Record<string, string> = {}, more = '') =>
    app.request(`/v1/submissions?full=true&${query}${more}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminKey}`, ...headers },
      body,
    });
  const jobOf = (text: string): SubmissionJob => ({
    principal: { accountId, accountName: 'admin', keyId: '', scopes: [] },
    upload: { bytes: new TextEncoder().encode(text), parameters, dryRun: true, isFull: true },
    request: null,
  });

  test('stores large submissions with the same response as the main thread', async () => {
    const body = artifact(1500, 1);
    expect(body.length).toBeGreaterThan(128 * 1024);
    const response = await post(body);
    expect(response.status).toBe(201);
    const answer = await answerOf(response);
    expect(answer.results).toHaveLength(1500);
    const again = await answerOf(await here.submit(body, { ...parameters, full: 'true' }, adminKey));
    expect(again.results).toEqual(answer.results);
    expect(again.id).toBe(answer.id);
  });

  test('returns the same dry run as the main thread', async () => {
    const body = artifact(1500, 2);
    const there = await (await post(body, {}, '&dry_run=true')).text();
    const response = await here.request(`/v1/submissions?full=true&${query}&dry_run=true`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminKey}` },
      body,
    });
    expect(there).toBe(await response.text());
  });

  test('returns the first response to a repeated Idempotency-Key', async () => {
    const [body, headers] = [artifact(1500, 3), { 'idempotency-key': 'once-and-for-all' }];
    const first = await post(body, headers);
    const second = await post(body, headers);
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(await second.text()).toBe(await first.text());
  });

  test('rejects like the main thread, and keeps the name available', async () => {
    const [body, headers] = ['nothing that a tool wrote\n'.repeat(10_000), { 'idempotency-key': 'refused' }];
    const there = await post(body, headers);
    const ours = await here.submit(body, { ...parameters, full: 'true' }, adminKey);
    expect([there.status, ours.status]).toEqual([422, 422]);
    const refusal = await answerOf(there);
    expect(refusal.errors).toEqual((await answerOf(ours)).errors);
    expect(refusal.code).toBe('tool_unrecognised');
    expect((await post(artifact(1500, 4), headers)).status).toBe(201);
  });

  test('processes several submissions at a time', async () => {
    const answers = await Promise.all([5, 6, 7].map((seed) => post(artifact(1500, seed))));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
  });

  test('reads the timeline of a large artifact as the main thread does', async () => {
    const body = observedArtifact(900);
    expect(body.length).toBeGreaterThan(128 * 1024);
    const { id } = await answerOf(await post(body));
    const path = `/v1/submissions/${id}/timeline`;
    const [there, main] = await Promise.all([app.request(path), here.request(path)]);
    const timeline = await there.json();
    expect(timeline).toMatchObject({ submission_id: id, timeline: { started_at: '2025-11-24T16:00:00.000Z' } });
    expect(await main.json()).toEqual(timeline);
  });

  test('distinguishes an unavailable database from an internal error', async () => {
    const lost = startIntake({ databaseUrl: 'postgres://nobody@127.0.0.1:9/nothing', publicUrl: baseUrl });
    try {
      const job = jobOf(artifact(10, 1));
      const error = await lost
        .submit({ ...job, upload: { ...job.upload, dryRun: false } })
        .catch((reason: unknown) => reason);
      expect(databaseProblem(error)).toBe('down');
    } finally {
      await lost.close();
    }
  });

  test('fails waiting requests if the thread runs out of memory, and continues with a new thread', async () => {
    const small = startIntake(
      { databaseUrl, publicUrl: baseUrl },
      { maxOldGenerationSizeMb: 48, maxYoungGenerationSizeMb: 4 },
    );
    try {
      await expect(small.submit(jobOf(artifact(10_000, 8)))).rejects.toThrow(/memory/i);
      expect(await small.submit(jobOf(artifact(1, 9)))).toMatchObject({ status: 200 });
      expect(small.waiting()).toBe(0);
    } finally {
      await small.close();
    }
  });

  test('rejects submissions if the queue is full', async () => {
    const busy = startIntake({ databaseUrl, publicUrl: baseUrl });
    const asked = Array.from({ length: 270 }, (_, seed) => busy.submit(jobOf(artifact(1, seed))));
    const answers = await Promise.allSettled(asked);
    const refused = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThanOrEqual(14);
    for (const reason of refused) expect(reason).toMatchObject({ code: 'bodies_too_many' });
    await busy.close();
  });
});
