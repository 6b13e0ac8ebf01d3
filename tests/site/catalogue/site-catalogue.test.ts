import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { chromiumPath, launchBrowser, withPage, wordsOf } from '../../support/site/browser.ts';

interface Item {
  id: string;
  name: string;
  points: number;
}
interface Board {
  data: { value: number; rank_spread: [number, number]; system: { id: string; quantization: { name: string } } }[];
}

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => {
  await server?.dispose();
});

const ask = async <T>(path: string): Promise<T> => (await (await fetch(server.url + path)).json()) as T;
const htmlOf = async (path: string) => (await fetch(server.url + path)).text();
const textOf = async (path: string) => wordsOf(await htmlOf(path));

const pages = [
  '/models',
  '/gpus',
  '/scenarios',
  '/quantizations',
  '/models/llama-2-7b',
  '/models/gpt-oss-120b?scenario=pp512',
  '/models/llama-3.1-8b',
  '/gpus/rtx-pro-6000',
  '/gpus/rtx-pro-6000-blackwell-ws',
  '/gpus/b200',
  '/scenarios/decode-bound',
  '/scenarios/tg128?metric=tok_per_joule',
  '/scenarios/causal-mask',
  '/scenarios/chatbot',
  '/quantizations/w8a8-int8',
  '/quantizations/w8a16_awq?metric=e2e_ms_mean',
  '/quantizations/gguf-q4_0',
  '/kernels',
  '/glossary',
  '/methodology',
  '/models/llama-9-900b',
];

describe('indexes', () => {
  test.each(['models', 'gpus', 'scenarios', 'quantizations'])(
    '/%s lists the entries of the API, with the number of points of each',
    async (folder) => {
      const { data } = await ask<{ data: Item[] }>(`/v1/catalogue/${folder}`);
      // Kernels are on another page.
      const { data: workloads } = await ask<{ data: { shape: string; kind: string }[] }>('/v1/catalogue/workloads');
      const kernels = new Set(workloads.flatMap(({ shape, kind }) => (kind === 'kernel' ? [shape] : [])));
      const named = data.filter(({ id }) => id !== 'n/a' && id !== 'unspecified' && !kernels.has(id));
      const html = await htmlOf(`/${folder}`);
      expect(html.includes('attention kernels are under')).toBe(folder === 'scenarios');
      expect([...kernels].filter((id) => html.includes(`href="/scenarios/${id}"`))).toEqual([]);
      const missing = named.filter(({ id }) => !html.includes(`href="/${folder}/${encodeURIComponent(id)}"`));
      // A family of one device is listed only as that device.
      const isFamilyOfOne = (id: string) => named.filter((item) => item.id.startsWith(`${id}-`)).length === 1;
      expect(missing.filter(({ id, points }) => folder !== 'gpus' || points > 0 || !isFamilyOfOne(id))).toEqual([]);
      // The points of a family include its variants.
      const single = named.filter(({ id }) => folder !== 'gpus' || !named.some((item) => item.id.startsWith(`${id}-`)));
      const most = single.toSorted((a, b) => b.points - a.points)[0];
      const row = new RegExp(`href="/${folder}/${most?.id}"[\\s\\S]*?</tr>`).exec(html)?.[0] ?? '';
      expect(row).toContain(`>${most?.points}<`);
    },
  );

  test('the CSV of an index has every entry, with unrounded figures', async () => {
    const response = await fetch(`${server.url}/models.csv`);
    expect(response.headers.get('content-type')).toContain('text/csv');
    const lines = (await response.text()).trimEnd().split('\r\n');
    const { data } = await ask<{ data: Item[] }>('/v1/catalogue/models');
    expect(lines).toHaveLength(1 + data.filter(({ id }) => id !== 'n/a' && id !== 'unspecified').length);
    expect(lines[0]).toContain('params_total_b');
    expect(lines.find((line) => line.startsWith('llama-2-7b,'))).toContain(',6.738,');
  });

  test.each(['engines', 'constructor'])('/%s.csv returns 404', async (table) => {
    expect((await fetch(`${server.url}/${table}.csv`)).status).toBe(404);
  });
});

describe('a page about one entry', () => {
  test('shows the best systems of a model under the usual bounds, with ranks and n', async () => {
    const { data } = await ask<Board>('/v1/leaderboard?model=llama-2-7b&scenario=tg128&rank_by=decode_tok_s');
    const [best] = data;
    const text = await textOf('/models/llama-2-7b');
    expect(text.indexOf('Which GPU, engine and quantization')).toBeLessThan(text.indexOf('Facts'));
    expect(text).toContain(`${best?.value.toFixed(2)} ± `);
    expect(text).toContain('Inter-token latency up to 20 ms');
    expect(text).toContain('n not stated');
    const [low, high] = best?.rank_spread ?? [0, 0];
    expect(text).toContain(low === high ? `${low} ` : `${low}–${high} tied`);
    expect(text).toContain('6.738 B');
  });

  test('names the closest result if none meets a bound', async () => {
    // 1.9 tok/s: the ITL of the largest model exceeds all bounds.
    const text = await textOf('/models/shisa-v2-llama-3.1-405b');
    expect(text).toContain('No system meets this. Closest: ITL');
  });

  // 5.8 ms is within 20 ms: a system that meets a bound is an answer, regardless of its other metrics.
  test('lists all systems that meet a bound', async () => {
    for (const path of ['/gpus/h100', '/quantizations/fp8', '/scenarios/chatbot']) {
      const row = /Inter-token latency up to 20 ms[\s\S]*?<\/tr>/.exec(await htmlOf(path))?.[0] ?? '';
      expect(wordsOf(row), path).toContain('172.5 tok/s');
      expect(await textOf(path), path).not.toContain('No system meets this');
    }
  });

  // Systems without a model, GPU or quantization are not on boards of systems. The page states this and compares them.
  test.each([
    ['/quantizations/w8a16', 'quantization', 'w8a16_sparse_awq'],
    ['/models/shisa-v2-unphi4-14b', 'engine', 'RTX PRO 6000'],
    ['/scenarios/sharegpt', 'engine', 'Shisa V2 UnPhi4 14B'],
  ])('compares entries with an unspecified fact within one account: %s', async (path, subject, name) => {
    const text = await textOf(path);
    expect(text).not.toContain('No measurements');
    expect(text).toContain(
      `Systems that leave their model, GPU or quantization unspecified are compared by ${subject}, within the account sample-data.`,
    );
    const table = /<div class="scroll entries"[\s\S]*?<\/table>/.exec(await htmlOf(path))?.[0] ?? '';
    expect(table).toContain(name);
  });

  test('shows power limits as curves, with each value as a labelled link', async () => {
    const html = await htmlOf('/models/llama-2-7b');
    expect(html).toContain('aria-label="tg128, 300: 260.42 ± 0.60 tok/s, n not stated"');
    expect(html).toContain('aria-label="pp512, 600: 16,634 ± 98 tok/s, n not stated"');
    expect(await textOf('/models/llama-2-7b')).toContain('Most tokens per joule: tg128 at 200 W.');
  });

  test('shows the best models of a GPU, and its ridge batch size', async () => {
    const { data } = await ask<{
      data: { id: string; memory_bandwidth_gbs: number; tflops_dense: { bf16: number } }[];
    }>('/v1/catalogue/gpus');
    const gpu = data.find(({ id }) => id === 'rtx-pro-6000-blackwell-ws');
    const text = await textOf('/gpus/rtx-pro-6000-blackwell-ws');
    expect(text).toContain('What it serves best');
    // At 16 bits, the ridge batch size is FLOP/s over bytes per second.
    const batch = Math.round(((gpu?.tflops_dense.bf16 ?? 0) * 1e12) / ((gpu?.memory_bandwidth_gbs ?? 1) * 1e9));
    expect(text).toMatch(new RegExp(`bf16.* ${batch} `));
  });

  test('links a GPU family to its variants', async () => {
    const html = await htmlOf('/gpus/rtx-pro-6000');
    expect(html).toContain('href="/gpus/rtx-pro-6000-blackwell-ws"');
  });

  test('shows the lengths of a scenario and its ranking as in the API', async () => {
    const { data } = await ask<Board>('/v1/best?subject=quantization&scenario=decode-bound&rank_by=decode_tok_s');
    const text = await textOf('/scenarios/decode-bound');
    expect(text).toContain('nearly all time goes into writing the answer');
    expect(text).toContain('512 tokens');
    const places = data.map(({ system }) => text.lastIndexOf(system.quantization.name));
    expect(places.every((place) => place > 0)).toBe(true);
    expect(text).toContain('198.06 ± 0.13 tok/s');
  });

  test('shows the speed-up of a quantization over the unquantized weights, with its interval', async () => {
    const systems = await ask<{ data: { id: string; quantization: { name: string } }[] }>('/v1/systems?engine=sglang');
    const idOf = (name: string) => systems.data.find(({ quantization }) => quantization.name === name)?.id;
    const compared = await ask<{
      points: {
        scenario: { id: string };
        metrics: { metric: string; figures: { compared: { ratio: number; interval: [number, number] } | null }[] }[];
      }[];
    }>(`/v1/compare?system=${idOf('original')}&system=${idOf('w8a8_sparse_smooth_gptq')}&scenario=decode-bound`);
    const figure = compared.points[0]?.metrics.find(({ metric }) => metric === 'decode_tok_s')?.figures[1];
    const text = await textOf('/quantizations/w8a8-int8');
    expect(text).toContain(`${figure?.compared?.ratio.toFixed(4)}×`);
    expect(text).toContain(figure?.compared?.interval.map((end) => end.toFixed(4)).join(' to '));
    expect(text).toContain('no difference shown');
  });

  test('labels a format without an unquantized system to compare', async () => {
    expect(await textOf('/quantizations/gguf-q4_0')).toContain('its gain is unknown');
  });
});

describe('kernels, glossary, methodology', () => {
  test('the kernel board has every case and implementation, times before rates', async () => {
    const text = await textOf('/kernels');
    for (const figure of ['6.638', '331.3 TFLOP/s', '34.88', '3.325', '146.7 TFLOP/s']) expect(text).toContain(figure);
    const { cells } = await ask<{ cells: unknown[][] }>('/v1/matrix?rows=scenario&columns=engine&metric=forward_ms');
    const compared = cells.filter((row) => row.filter((cell) => cell !== null).length > 1);
    expect((await htmlOf('/kernels')).match(/ fastest</g)).toHaveLength(2 * compared.length);
    // Plain causal attention does not rank with a score function or another mask.
    expect(text).toContain('Alibi Mod (causal reference, another function)');
    expect(text).not.toContain('5.385×');
    expect(text).toContain('block mask 1 x 1 x 8,192 x 8,192');
  });

  test('the glossary equals the API response for every metric', async () => {
    const { data } = await ask<{ data: { id: string; description: string; formula: string; glossary: string }[] }>(
      '/v1/catalogue/metrics',
    );
    const text = await textOf('/glossary');
    for (const { description, formula, glossary } of data)
      for (const words of [description, formula, glossary]) expect(text).toContain(words.replace(/\s+/g, ' '));
    const csv = await (await fetch(`${server.url}/glossary.csv`)).text();
    expect(csv.trimEnd().split('\r\n').length).toBeGreaterThan(data.length);
  });

  test('the methodology lists the rules named in findings', async () => {
    type Rules = { checks: { id: string; rule: string }[] } & Record<'copies' | 'excluded', { means: string }[]>;
    const { checks, copies, excluded } = await ask<Rules>('/methodology.json');
    expect(checks.length).toBeGreaterThan(30);
    const html = await htmlOf('/methodology');
    for (const { means } of [...copies, ...excluded]) expect(html).toContain(means);
    for (const { id } of checks) expect(html).toContain(`id="${id}"`);
    const csv = await (await fetch(`${server.url}/methodology.csv`)).text();
    expect(csv.startsWith('id,group,code,title,rule\r\n')).toBe(true);
  });
});

describe('URLs', () => {
  test('an unknown name is a page with status 404 that offers others', async () => {
    for (const path of ['/models/llama-9-900b', '/gpus/h999', '/quantizations/w9a9', '/scenarios/nothing-like-it']) {
      const response = await fetch(server.url + path);
      expect(response.status, path).toBe(404);
      const html = await response.text();
      expect(html, path).toContain('There is no such');
      expect(html, path).toMatch(/Did you mean[\s\S]*<li>/);
    }
  });

  test('another spelling redirects to the canonical URL', async () => {
    const response = await fetch(`${server.url}/models/Llama-2-7b-chat-hf`, { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([301, '/models/llama-2-7b']);
  });

  test('every page offers its data as JSON and as CSV, with the curl command', async () => {
    for (const path of pages.slice(0, -1)) {
      const html = await htmlOf(path);
      const json = /<link rel="alternate" type="application\/json" href="([^"]+)"/
        .exec(html)?.[1]
        ?.replaceAll('&amp;', '&');
      const csv = /<link rel="alternate" type="text\/csv" href="([^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&');
      expect(html, path).toContain('curl -sS');
      for (const [link, type] of [
        [json, 'application/json'],
        [csv, 'text/csv'],
      ] as const) {
        const response = await fetch(server.url + link);
        expect(response.status, `${path}: ${link}`).toBe(200);
        expect(response.headers.get('content-type'), `${path}: ${link}`).toContain(type);
        // An export that is not read to its end counts as running, and one address may run a few only.
        await response.body?.cancel();
      }
    }
  });

  test('a fifth of the links on these pages are requested, and none is broken', async () => {
    const links = new Set<string>();
    for (const path of pages)
      for (const [, href = ''] of (await htmlOf(path)).matchAll(/href="([^"]*)"/g)) {
        const url = new URL(href.replaceAll('&amp;', '&'), server.url + path);
        url.hash = '';
        if (url.origin === server.url) links.add(url.href);
      }
    const broken: string[] = [];
    // Most differ by one parameter alone.
    for (const link of [...links].filter((_, at) => at % 5 === 0)) {
      const { status } = await fetch(link);
      if (status >= 400 && !link.includes('llama-9')) broken.push(`${status} ${link}`);
    }
    expect(links.size).toBeGreaterThan(200);
    expect(broken).toEqual([]);
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

  test('values of a chart are reached by keyboard and show their figure', async () => {
    await withPage(browser, { javaScriptEnabled: false }, async (page) => {
      await page.goto(`${server.url}/models/llama-2-7b`);
      const value = page.getByRole('link', { name: 'tg128, 300: 260.42 ± 0.60 tok/s, n not stated' });
      await value.focus();
      expect(await value.locator('.tip').evaluate((tip) => getComputedStyle(tip).visibility)).toBe('visible');
    });
  });

  test('systems of a board are selected and compared without JavaScript', async () => {
    await withPage(browser, { javaScriptEnabled: false }, async (page) => {
      await page.goto(`${server.url}/scenarios/decode-bound`);
      const boxes = page.locator('input[name="ids"]');
      await boxes.nth(0).check();
      await boxes.nth(6).check();
      await page.getByRole('button', { name: 'Compare', exact: true }).click();
      expect(page.url()).toMatch(/\/compare\?ids=sys_\w+,sys_\w+$/);
      expect(await page.locator('h1').textContent()).toBe('2 systems side by side');
    });
  });
});
