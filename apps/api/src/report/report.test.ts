import { readFileSync } from 'node:fs';
import { fullGrid } from '@inferboard/core/testing/report-grid';
import { beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { adminKey, answerOf, baseUrl, useTestApp } from '../testing/index.ts';
import { FigureSchema, figureExample, findingExample, ReportFindingSchema, ReportSchema } from './report-schema.ts';

type Report = z.infer<typeof ReportSchema>;

const app = useTestApp({ sampleData: true });

async function reportOf(id: string, query = ''): Promise<Report> {
  const body = await app.get(`/v1/systems/${id}/report${query}`);
  // The response matches the documented schema.
  return ReportSchema.parse(body);
}

async function systemWith(query: string): Promise<string> {
  const { data } = await app.get<{ data: { id: string }[] }>(`/v1/systems?${query}`);
  const [first] = data;
  if (first === undefined) throw new Error(`no system for ${query}`);
  return first.id;
}

const sentenceOf = (report: Report, id: string) => report.findings.find((finding) => finding.id === id)?.sentence;

// Uses a model without results in the sample. Otherwise some results would count as copies of the sample's.
function submission(gpu: string, results: unknown[]) {
  const system = { model: 'Qwen/Qwen3.6-35B-A3B', quantization: 'fp8', gpu, gpu_count: 1, engine: 'vllm' };
  return JSON.stringify({ schema: 'inferboard/v1', system: { ...system, engine: { name: 'vllm' } }, results });
}

async function submit(artifact: string) {
  const response = await app.submit(artifact, {}, adminKey);
  const answer = await answerOf(response);
  if (response.status !== 201) throw new Error(JSON.stringify(answer));
  return answer;
}

describe('the sample system', () => {
  let report: Report;
  beforeAll(async () => {
    report = await reportOf(await systemWith('tool=native&model=qwen3.5-35b-a3b'));
  });

  it('has the findings of its six points', () => {
    expect(report.system.model.id).toBe('qwen3.5-35b-a3b');
    expect(report.headline.peak_decode_speed).toMatchObject({ value: 172.5, unit: 'tok/s', n: 1, derived: false });
    expect(report.headline.max_decode_throughput).toMatchObject({
      metric: 'decode_tok_s',
      value: 9774,
      derived: false,
    });
    expect(report.headline.best_ttft).toMatchObject({ value: 189, load: { mode: 'burst', level: 1 } });
    expect(sentenceOf(report, 'peak_speed')).toMatch(/172\.5 tok\/s .* 13\.2 tok\/s .*sluggish/);
    expect(sentenceOf(report, 'peak_itl')).toMatch(/5\.8 ms .* 75\.8 ms .*sluggish, above 70 ms/);
    expect(sentenceOf(report, 'burst_itl')).toMatch(/5\.8 ms .* 38\.9 ms .*noticeable/);
    expect(sentenceOf(report, 'burst_speed')).toMatch(/172\.4 tok\/s .* 25\.7 tok\/s/);
    expect(sentenceOf(report, 'burst_ttft')).toMatch(/189 ms .* 8\.25 s .*over the limit of 3\.0 s/);
  });

  it('compares the fastest user with the hardware limit', () => {
    expect(report.peak?.roofline_missing).toEqual([]);
    const bound = report.peak?.roofline_user_tok_s[0]?.values[0];
    expect(bound).toMatchObject({ metric: 'user_tok_s', definition: 'at_most', n: null, load: { level: 1 } });
    const share = report.findings.find(({ id }) => id === 'peak_roofline')?.evidence.find(({ unit }) => unit === '');
    expect(share?.value).toBeCloseTo(172.5 / (bound?.value ?? 0), 9);
    expect(sentenceOf(report, 'peak_roofline')).toMatch(/172\.5 tok\/s .* of the roofline\.$/);
  });

  it('lists what is estimated or not measured', () => {
    expect(sentenceOf(report, 'peak_scaling')).toMatch(
      /each user keeps 41 % \(Chatbot, 32 concurrent\), by decode speed/,
    );
    expect(sentenceOf(report, 'peak_scaling_unknown')).toMatch(/for Tool-calling agent,/);
    // The text has no value between depths 1 and 256: 1 + 2.811 x 255 / 8.061 = 89.9, by linear interpolation.
    expect(report.burst?.max_safe_queue).toMatchObject([{ answer: 89, bound: 'estimate', depths: 2 }]);
    expect(sentenceOf(report, 'burst_max_safe_queue_chatbot')).toMatch(/rough/);
    expect(sentenceOf(report, 'burst_max_safe_queue_unknown')).toMatch(/for RAG \/ QA,/);
    expect(report.batch).toBeNull();
    expect(report.unmeasured.map(({ section }) => section)).toEqual(['batch']);
  });

  it('links every figure to its results', async () => {
    const figure = report.headline.max_decode_throughput;
    const { pathname, search } = new URL(figure?.links.results ?? '');
    const { data } = await app.get<{ data: { metrics: Record<string, number | null> }[] }>(`${pathname}${search}`);
    expect(data.map(({ metrics }) => metrics.decode_tok_s)).toEqual([9774]);
  });
});

describe('a complete grid', () => {
  let id = '';
  beforeAll(async () => {
    const results = fullGrid.map(({ scenario, mode, level, metrics }) => ({
      scenario,
      load: { mode, level },
      metrics,
    }));
    const { status, results: stored } = await submit(submission('H200', results));
    expect(status).toBe('accepted');
    id = stored[0]?.system.id ?? '';
  });

  it('has the answers implied by its figures', async () => {
    const report = await reportOf(id);
    expect(report.burst?.max_safe_queue.map(({ answer }) => answer)).toEqual([131, 84, 19, 8]);
    expect(report.headline.max_safe_queue).toMatchObject({ answer: 131, scenario: { id: 'chatbot' } });
    expect(sentenceOf(report, 'peak_scaling')).toMatch(
      /41 % \(Chatbot, 32 concurrent\) down to 8 % \(Tool-calling agent/,
    );
    expect(report.headline.max_decode_throughput).toMatchObject({ derived: true, load: { mode: 'burst', level: 256 } });
    expect(report.headline.max_decode_throughput?.value).toBeCloseTo(9774, 6);
    expect(report.peak?.itl_ms[0]?.values[1]).toMatchObject({ derived: true, definition: 'from_user_tok_s' });
    expect(report.ranges.find(({ metric, load }) => metric === 'user_tok_s' && load.level === 32)).toMatchObject({
      scenarios: 4,
      low: { value: 13.2 },
      high: { value: 70.6 },
    });
    const explained = new Set(report.thresholds.map((threshold) => threshold.id));
    for (const { thresholds } of report.findings) for (const named of thresholds) expect(explained).toContain(named);
  });

  it('uses the TTFT limit of the request', async () => {
    const report = await reportOf(id, '?ttft_limit_s=0.5');
    expect(report.ttft_limit_s).toBe(0.5);
    // 16 + 80 x 16 / 280 = 20.57 for chatbot, 8 + 20 x 8 / 320 = 8.5 for RAG; agentic meets the limit only at 1, tool calling
    // not.
    expect(report.burst?.max_safe_queue.map(({ text }) => text)).toEqual(['20', '8', '1', '< 1']);
    expect(report.links.self).toBe(`${baseUrl}/v1/systems/${id}/report?ttft_limit_s=0.5`);
    expect(sentenceOf(report, 'burst_ttft')).toMatch(/over the limit of 0\.5 s/);
  });

  it('has a strong ETag and returns 304 if it matches', async () => {
    const first = await app.request(`/v1/systems/${id}/report`);
    const tag = first.headers.get('etag') ?? '';
    expect(tag).toMatch(/^"/);
    const again = await app.request(`/v1/systems/${id}/report`, { headers: { 'if-none-match': tag } });
    expect(again.status).toBe(304);
    const other = await app.request(`/v1/systems/${id}/report?ttft_limit_s=1`, { headers: { 'if-none-match': tag } });
    expect(other.status).toBe(200);
  });
});

describe('the data of a report', () => {
  it('combines repetitions, and uses only accepted results', async () => {
    const at = (level: number, user_tok_s: number, repetition?: number) => ({
      scenario: 'chatbot',
      load: { mode: 'concurrency', level },
      metrics: { user_tok_s },
      ...(repetition === undefined ? {} : { repetition }),
    });
    // Faster than the memory bandwidth allows: quarantined.
    const answer = await submit(submission('A100 80GB', [at(1, 100, 1), at(1, 104, 2), at(1, 102, 3), at(4, 9000)]));
    expect(answer.results.map(({ status }) => status)).toEqual(['accepted', 'accepted', 'accepted', 'quarantined']);
    const report = await reportOf(answer.results[0]?.system.id ?? '');
    expect(report.peak?.levels).toEqual([1]);
    expect(report.headline.peak_decode_speed).toMatchObject({ value: 102, n: 3 });
    // 102 +- 4.303 x 2 / sqrt(3)
    expect(report.headline.peak_decode_speed?.ci95?.[0]).toBeCloseTo(97.03, 2);
    expect(sentenceOf(report, 'peak_decode_speed')).toMatch(/but its interval includes 100 tok\/s/);
  });

  it('can be static batches only', async () => {
    const report = await reportOf(await systemWith('tool=llama-bench&gpu_power_limit_w=600&model=llama-2-7b'));
    expect([report.peak, report.burst, report.headline.peak_decode_speed]).toEqual([null, null, null]);
    expect(report.batch?.decode_tok_s.map(({ scenario }) => scenario.title)).toEqual(['tg128']);
    expect(report.batch?.prefill_tok_s[0]?.values[0]).toMatchObject({ n: null, definition: 'in_process' });
    expect(sentenceOf(report, 'batch_single')).toMatch(/278\.9 tok\/s \(tg128, batch 1\): excellent/);
    expect(report.unmeasured.map(({ reason }) => reason)).toEqual([
      'No closed loop of 1 to 32 requests in flight was measured. There are static batches of 1.',
      'No burst of 1 to 256 requests was measured. There are static batches of 1.',
    ]);
  });

  it('is valid for every system of the sample', async () => {
    const { data } = await app.get<{ data: { id: string }[] }>('/v1/systems?limit=200');
    expect(data.length).toBeGreaterThan(20);
    for (const { id } of data) {
      const { findings } = await reportOf(id);
      for (const { sentence } of findings) expect(sentence).not.toMatch(/NaN|undefined|null|Infinity/);
    }
  });
});

describe('an unavailable report', () => {
  const missing = 'sys_000000000000000000000000';
  const problem = async (path: string) => {
    const response = await app.request(path);
    return { status: response.status, body: await answerOf(response) };
  };

  it.each(['0', '0.009', '600.1', 'soon', '-3', '1e3', ''])('rejects a limit of "%s"', async (given) => {
    const { status, body } = await problem(`/v1/systems/${missing}/report?ttft_limit_s=${given}`);
    expect(status).toBe(422);
    expect(body.errors).toMatchObject([{ parameter: 'ttft_limit_s' }]);
  });

  it.each(['0.01', '600', '3.0'])('accepts a limit of %s, and returns 404 for an unknown system', async (given) => {
    const { status, body } = await problem(`/v1/systems/${missing}/report?ttft_limit_s=${given}`);
    expect([status, body.code]).toEqual([404, 'not_found']);
  });

  it('names an unknown parameter and the closest known one', async () => {
    const { status, body } = await problem(`/v1/systems/${missing}/report?ttft_limit=3`);
    expect(status).toBe(422);
    expect(body.errors).toMatchObject([{ parameter: 'ttft_limit', hint: 'Did you mean "ttft_limit_s"?' }]);
  });

  it('returns 404 for an invalid id', async () => {
    expect((await problem('/v1/systems/nonsense/report')).status).toBe(404);
  });
});

describe('the report reference', () => {
  it('has examples that match its schemas', () => {
    expect(FigureSchema.parse(figureExample)).toEqual(figureExample);
    expect(ReportFindingSchema.parse(findingExample)).toEqual(findingExample);
  });

  it('has the same example sentence as the service', async () => {
    const report = await reportOf(await systemWith('tool=native&model=qwen3.5-35b-a3b&gpu=h100'));
    expect(sentenceOf(report, 'peak_decode_speed')).toBe(findingExample.sentence);
  });

  it('has the operation getSystemReport', () => {
    const document = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'));
    expect(document.paths['/v1/systems/{id}/report'].get.operationId).toBe('getSystemReport');
  });
});
