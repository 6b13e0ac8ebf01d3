import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { adminKey, startTestServer, type TestServer } from '../../support/server.ts';
import { chromiumPath, launchBrowser, withPage, wordsOf } from '../../support/site/browser.ts';
import { faultsOfView } from '../../support/site/look.ts';

interface Value {
  mean: number;
  system_id: string;
  engine_version: string;
}

let server: TestServer;
/** A system with the newest version of vLLM, and one with a single measured version. */
let newest = '';
let lone = '';

const calm = [-0.004, 0, 0.004];

/** Three loads of one version, with one repetition for each scatter factor; returns the system. */
async function submit(engine: string, version: string, speed: number, measuredAt: string, scatter = calm) {
  const results = [1, 8, 32].flatMap((level) =>
    scatter.map((off, at) => ({
      scenario: 'chatbot',
      load: { mode: 'concurrency', level },
      repetition: at + 1,
      metrics: { output_tok_s: Number((speed * level * (1 + off)).toFixed(3)) },
    })),
  );
  const system = {
    model: 'llama-3.1-8b',
    quantization: 'fp8',
    gpu: 'h100-sxm',
    gpu_count: 1,
    engine: { name: engine, version },
  };
  const response = await fetch(`${server.url}/v1/submissions?measured_at=${measuredAt}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminKey}` },
    body: JSON.stringify({ schema: 'inferboard/v1', system, results }),
  });
  const answer = (await response.json()) as { id: string; results: { system: { id: string } }[] };
  expect(response.status).toBe(201);
  return answer.results[0]?.system.id ?? '';
}

const ask = async <T>(path: string): Promise<T> => (await (await fetch(server.url + path)).json()) as T;
const htmlOf = async (path: string) => (await fetch(server.url + path)).text();
const textOf = async (path: string) => wordsOf(await htmlOf(path));

beforeAll(async () => {
  server = await startTestServer();
  await submit('vllm', '0.9.2', 100, '2026-02-03T10:00:00Z');
  await submit('vllm', '0.10.0', 110, '2026-04-03T10:00:00Z');
  newest = await submit('vllm', '0.11.0', 99, '2026-07-03T10:00:00Z');
  await submit('sglang', '0.4.1', 90, '2026-03-03T10:00:00Z');
  await submit('sglang', '0.5.0', 120, '2026-06-03T10:00:00Z', [-0.004, 0.004]);
  const { data } = await ask<{ data: { id: string }[] }>('/v1/systems?model=gpt-oss-120b');
  lone = data[0]?.id ?? '';
});
afterAll(async () => {
  await server?.dispose();
});

describe('the history of a system', () => {
  test('draws every value of the API, with its n, its interval and its results', async () => {
    const { data } = await ask<{ data: { values: Value[] }[] }>(
      `/v1/history?system=${newest}&metric=output_tok_s_per_gpu`,
    );
    const html = await htmlOf(`/history?system=${newest}`);
    const text = wordsOf(html);
    const values = data.flatMap((series) => series.values);
    expect(values).toHaveLength(9);
    for (const { system_id: id } of values) expect(html).toContain(`href="/systems/${id}"`);
    for (const version of ['0.9.2', '0.10.0', '0.11.0']) expect(html).toContain(`aria-label="${version}: vLLM `);
    // Three loads, three versions, three repetitions: dots next to the means, and rows in the result tables.
    const dots = [...html.matchAll(/class="runs" d="([^"]*)"/g)].map(([, d = '']) => d.split('M').length - 1);
    expect(dots).toEqual([9, 9, 9]);
    expect(html.match(/href="\/submissions\/sub_\w+#res_\w+"/g)).toHaveLength(27);
    expect(text).toContain('9 single results');
  });

  // 99 over 110 is 10 % less. 99 over 100 is 1 % less, which is below the threshold for a change.
  test('compares the newest version with the previous one, or with the one in the URL', async () => {
    const html = await htmlOf(`/history?system=${newest}`);
    expect(html.match(/>Regression</g)?.length).toBeGreaterThanOrEqual(3);
    expect(wordsOf(html)).toContain('10 % worse');
    const first = await textOf(`/history?system=${newest}&baseline=first`);
    expect(first).toContain('Stable: 3.');
    expect(first).toContain('1.0 % worse');
    const { versions } = await ask<{ versions: { system_id: string; engine_version: string }[] }>(
      `/v1/history?system=${newest}`,
    );
    const oldest = versions.find(({ engine_version: version }) => version === '0.9.2')?.system_id;
    expect(await textOf(`/history?system=${newest}&baseline=${oldest}`)).toContain('Stable: 3.');
  });

  test('lists the same verdicts as the API', async () => {
    const { data } = await ask<{ data: { title: string; verdict: string; effect: number; summary: string }[] }>(
      `/v1/changes?metric=output_tok_s_per_gpu&system=${newest}&type=version`,
    );
    expect(data.map(({ verdict }) => verdict)).toEqual(['regression', 'regression', 'regression']);
    const text = await textOf(`/history?system=${newest}`);
    for (const { summary, effect } of data) {
      expect(text).toContain(wordsOf(summary));
      expect(Math.round(effect * 100)).toBe(-10);
    }
  });

  test('by month and by result has a time axis', async () => {
    const html = await htmlOf(`/history?system=${newest}&by=month`);
    expect(html).toContain('aria-label="3 Feb 2026, 10:00 UTC: vLLM 0.9.2 ');
    expect(wordsOf(await htmlOf(`/history?system=${newest}&by=result`))).toContain('mean of 3 results, measured');
  });

  test('is available as JSON and as CSV', async () => {
    const html = await htmlOf(`/history?system=${newest}`);
    const [, csv = ''] = /href="(\/history\.csv[^"]*)"/.exec(html) ?? [];
    const response = await fetch(server.url + csv.replaceAll('&amp;', '&'));
    const lines = (await response.text()).trim().split('\r\n');
    expect(response.headers.get('content-type')).toMatch(/^text\/csv/);
    expect(lines).toHaveLength(10);
    expect(lines[0]).toContain('engine_version,month,at,at_is,value,n,sd,ci95_low,ci95_high');
  });

  test('of a single version explains how to add a second, and shows its results', async () => {
    const text = await textOf(`/history?system=${lone}`);
    expect(text).toContain('One version so far: b6413');
    expect(text).toContain('Measure the same configuration on another version of llama.cpp');
    expect(text).toContain('n not stated, stored');
  });

  test('returns an error for an unknown system or metric', async () => {
    const [unknown, metric] = await Promise.all([
      fetch(`${server.url}/history?system=sys_nobody`),
      fetch(`${server.url}/history?system=${newest}&metric=speed`),
    ]);
    expect(unknown.status).toBe(404);
    expect(metric.status).toBe(422);
    expect(wordsOf(await metric.text())).toContain('metric');
  });
});

describe('histories of a model', () => {
  test('draw every value of a scenario that one configuration has', async () => {
    const html = await htmlOf('/history?model=llama-3.1-8b&engine=vllm');
    const text = wordsOf(html);
    for (const day of ['3 Feb 2026', '3 Apr 2026', '3 Jul 2026'])
      expect(html).toContain(`aria-label="${day}, 10:00 UTC: `);
    expect(text).not.toContain('no stated version');
    // The configuration has no legend, so its name is below the title.
    expect(text).toContain('Llama 3.1 8B FP8 · H100 SXM5 80GB · vLLM');
  });

  test('share one chart, with a line for each configuration', async () => {
    const html = await htmlOf('/history?model=llama-3.1-8b');
    const { data } = await ask<{ data: { values: Value[] }[] }>(`/v1/history?system=${newest}`);
    const text = wordsOf(html);
    for (const value of data[0]?.values ?? [])
      expect(text).toContain(`${Math.round(value.mean)} tok/s ${value.engine_version} `);
    expect(html).toContain('Llama 3.1 8B FP8 · H100 SXM5 80GB · vLLM');
    expect(html).toContain('Llama 3.1 8B FP8 · H100 SXM5 80GB · SGLang');
    // Two repetitions are too few for a verdict, as the page states.
    expect(text).toContain('A verdict needs 3 repetitions on both sides; there are 2 and 3.');
  });

  test('without measurements say so', async () => {
    const text = await textOf('/history?model=llama-3.1-8b&gpu=mi300x');
    expect(text).toContain('No measured system matches these filters');
  });
});

describe('the history page', () => {
  test('lists configurations by number of versions, and changes by kind', async () => {
    const html = await htmlOf('/history');
    const [, head = ''] = /id="lineages-title"[\s\S]*?<tbody[^>]*>([\s\S]*?)<\/tr>/.exec(html) ?? [];
    expect(wordsOf(head)).toContain('0.9.2, 0.10.0, 0.11.0');
    const regressions = await htmlOf('/history?changes=regressions');
    expect(regressions.match(/<span class="badge bad"[^>]*>/g)?.length).toBe(3);
    expect(regressions).not.toContain('>New best<');
  });

  test('folds changes without a verdict behind the others', async () => {
    const html = await htmlOf('/history');
    const [, section = ''] = /<section id="changes"[^>]*>([\s\S]*?)<\/section>/.exec(html) ?? [];
    const [judged = '', folded = ''] = section.split('<details');
    expect(judged).toMatch(/<span class="badge (?:bad|good)"/);
    expect(judged).not.toContain('Not enough data');
    expect(wordsOf(folded)).toMatch(/\d+ changes? without a verdict/);
    expect(folded).not.toMatch(/<span class="badge (?:bad|good)"/);
  });

  test('opens with a system whose metric changed between versions', async () => {
    const { data } = await ask<{ data: { summary: string; new: { system_id: string } }[] }>(
      '/v1/changes?metric=output_tok_s_per_gpu&type=version&verdict=regression&verdict=improvement&limit=1',
    );
    const html = await htmlOf('/history');
    const [section = ''] = /<section aria-labelledby="charts-title"[^>]*>[\s\S]*?<\/section>/.exec(html) ?? [];
    expect(wordsOf(section)).toContain(wordsOf(data[0]?.summary ?? ''));
    expect(section).toContain(`href="/history?system=${data[0]?.new.system_id}&amp;metric=output_tok_s_per_gpu"`);
    for (const version of ['0.9.2', '0.10.0', '0.11.0']) expect(section).toContain(version);
    expect(section.match(/<svg/g)?.length).toBeGreaterThan(0);
    expect(html.indexOf(section)).toBeLessThan(html.indexOf('id="lineages-title"'));
  });

  test('is linked from reports, models and the header', async () => {
    expect(await htmlOf(`/systems/${newest}`)).toContain(`href="/history?system=${newest}"`);
    expect(await htmlOf('/models/llama-3.1-8b')).toContain('href="/history?model=llama-3.1-8b"');
    expect(await htmlOf('/')).toContain('href="/history"');
  });

  test('links the models without a filter', async () => {
    const models = /<nav class="metric-links" aria-label="Model"[\s\S]*?<\/nav>/;
    expect(models.exec(await htmlOf('/history'))?.[0]).toContain('href="/history?model=llama-3.1-8b"');
    expect(models.exec(await htmlOf('/history?model=llama-3.1-8b'))).toBe(null);
  });
});

describe.skipIf(chromiumPath === null)('in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
  });

  test('has no axe violations and no sideways scrolling, light and dark, 1280 and 320 pixels', async () => {
    const paths = [
      '/history',
      `/history?system=${newest}`,
      `/history?system=${newest}&by=result`,
      `/history?system=${lone}`,
      '/history?model=llama-3.1-8b',
    ];
    for (const path of paths) expect(await faultsOfView(browser, server.url, { path }, false)).toEqual([]);
  });

  test('has a form that works without JavaScript and updates the URL', async () => {
    await withPage(browser, { javaScriptEnabled: false }, async (page) => {
      await page.goto(`${server.url}/history?system=${newest}`);
      await page.getByLabel('Compare the newest with', { exact: true }).selectOption('first');
      await page.getByRole('button', { name: 'Show' }).click();
      expect(page.url()).toBe(
        `${server.url}/history?system=${newest}&metric=output_tok_s_per_gpu&by=version&baseline=first`,
      );
      await page.getByRole('link', { name: 'Regressions' }).click();
      expect(new URL(page.url()).searchParams.get('changes')).toBe('regressions');
      await page.getByText('9 single results').first().click();
      expect(await page.getByRole('region', { name: 'Chatbot, single request, single results' }).isVisible()).toBe(
        true,
      );
    });
  });
});
