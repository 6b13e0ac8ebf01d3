import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { adminKey, answerOf, useTestApp } from '../testing/index.ts';

const app = useTestApp();
const startedUnixMs = 1_764_000_000_000;

/** One request per second, each with a reading of the server. */
const report = (observed: boolean, output_tokens: number) => {
  const seconds = [0, 1, 2];
  return JSON.stringify({
    ...{ schema: 'inferboard/v1', tool: 'inferboard-loadgen', scenario: { input_tokens: 64, output_tokens } },
    system: { model: 'gpt-oss-120b', gpu: 'h100-sxm', quantization: 'mxfp4' },
    results: [
      {
        load: { mode: 'concurrency', level: 1 },
        generator: { retried: 2, notes: ['the server rejects temperature: it is omitted'] },
        requests: seconds.map((sent_s) => ({ sent_s, output_tokens, ttft_ms: 100, e2e_ms: 400, itl_ms: [300] })),
        ...(observed && {
          observed: {
            started_unix_ms: startedUnixMs,
            samples: seconds.map((s) => ({ unixMs: startedUnixMs + 1000 * s, values: { waiting: s, power_w: 640 } })),
          },
        }),
      },
    ],
  });
};

const submit = async (artifact: string | Uint8Array) => answerOf(await app.submit(artifact, {}, adminKey));

interface SubmissionTimeline {
  submission_id: string;
  timeline: { started_at: string; bin_s: number; series: { name: string; unit: string; values: unknown[] }[] } | null;
}

test.each([
  ['plain', (text: string) => text],
  ['compressed', (text: string) => new Uint8Array(gzipSync(text))],
])('the timeline of a %s artifact has its requests and readings', async (_form, send) => {
  const { id } = await submit(send(report(true, 16)));
  for (const _again of [1, 2]) {
    const found = await app.get<SubmissionTimeline>(`/v1/submissions/${id}/timeline`);
    expect(found).toMatchObject({
      submission_id: id,
      timeline: { started_at: new Date(startedUnixMs).toISOString(), bin_s: 0.5 },
    });
    const values = new Map(found.timeline?.series.map((one) => [`${one.name} ${one.unit}`, one.values]));
    expect(values.get('ttft_ms ms')).toEqual([100, null, 100, null, 100]);
    expect(values.get('waiting count')).toEqual([0, null, 1, null, 2]);
    expect(values.get('power_w W')).toEqual([640, null, 640, null, 640]);
  }
});

test('an artifact without readings has no timeline', async () => {
  const { id } = await submit(report(false, 17));
  expect(await app.get(`/v1/submissions/${id}/timeline`)).toEqual({ submission_id: id, timeline: null });
});

test('an unknown submission has no timeline', async () => {
  const response = await app.request('/v1/submissions/sub_00000000000000000000000000000000/timeline');
  expect(response.status).toBe(404);
});

test('a result shows what its generator recorded, and its retries and notes as findings', async () => {
  const { results } = await submit(report(true, 18));
  const nothing = { seed: null, salt: null, bodies_sha256: null };
  const [result] = results as unknown as { recorded: object; findings: { code: string; severity: string }[] }[];
  expect(result?.recorded).toEqual({ ...nothing, requests_retried: 2, observed_samples: 3, detected: {} });
  const codes = result?.findings.filter(({ severity }) => severity === 'info').map(({ code }) => code);
  expect(codes).toEqual(expect.arrayContaining(['requests_retried', 'generator_note']));
});
