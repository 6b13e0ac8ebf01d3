/// <reference lib="dom" />
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../support/server.ts';
import { chromiumPath, launchBrowser, withPage, wordsOf } from '../support/site/browser.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => {
  await server?.dispose();
});

async function htmlOf(path: string): Promise<string> {
  const response = await fetch(server.url + path);
  expect(response.headers.get('content-type'), path).toBe('text/html; charset=utf-8');
  return response.text();
}

const textOf = async (path: string) => wordsOf(await htmlOf(path));

async function firstLink(path: string, pattern: RegExp): Promise<string> {
  const found = pattern.exec(await htmlOf(path))?.[1];
  if (found === undefined) throw new Error(`${path} has no link like ${pattern}`);
  return found;
}

const systemLink = (board: string) => firstLink(board, /href="(\/systems\/[^"#]+)"/);
const submissionLink = (board: string) => firstLink(board, /href="(\/submissions\/[^"#]+)#/);

/** One page of each kind, including difficult ones. */
async function allPages(): Promise<string[]> {
  return [
    '/',
    '/?subject=quantization&rank_by=decode_tok_s&scenario=base',
    '/?scenario=tg128',
    '/?rank_by=forward_ms',
    '/?colour=red&max_itl_ms=fast',
    '/?subject=quantization&rank_by=decode_tok_s&scenario=base&max_ttft_ms=1',
    await systemLink('/?subject=quantization&rank_by=decode_tok_s&scenario=base'),
    await systemLink('/?subject=engine&rank_by=ttft_ms_mean&workload=sharegpt'),
    await submissionLink('/?subject=quantization&rank_by=decode_tok_s&scenario=base'),
    await submissionLink('/?scenario=tg128'),
    '/systems/sys_nobody',
    '/submissions/sub_nobody',
    '/nowhere',
  ];
}

// Every number with its unit, n and findings, as the tools printed it.
describe('the pages', () => {
  test('show means, deviations and ranks of quantizations as measured', async () => {
    const text = await textOf('/?subject=quantization&rank_by=decode_tok_s&scenario=decode-bound');
    expect(text).toContain('198.06 ± 0.13 tok/s');
    expect(text).toContain('136.47');
  });

  test('label an unstable point, with its runs, its median and the outlier test', async () => {
    const text = await textOf('/?subject=quantization&rank_by=decode_tok_s&scenario=base');
    expect(text).toContain('unstable');
    // The half-width of the interval is several thousand tokens, so digits below the hundreds are not significant.
    expect(text).toContain('median 4,900 tok/s');
    expect(text).toContain('2,900 flagged: Grubbs 1.1546 > 1.1543');
    expect(text).toContain('1–7 tied');
  });

  test("label a tool's summary as one", async () => {
    const text = await textOf('/?scenario=tg128');
    expect(text).toContain('278.95 ± 0.23 tok/s');
    expect(text).toContain('n not stated');
    expect(text).toContain('sd as the tool states it');
  });

  test('state what is omitted', async () => {
    expect(await textOf('/?rank_by=ttft_ms_mean&workload=chatbot-steady')).toMatch(
      /Left out: 1 point without this metric/,
    );
  });

  test('show all points of a system', async () => {
    const text = await textOf(await systemLink('/?subject=engine&rank_by=ttft_ms_mean&workload=sharegpt'));
    expect(text).toContain('512 concurrent');
    expect(text).toContain('Requests in flight (log scale)');
  });

  test('start a submission with its verdict and link its artifact', async () => {
    const path = await submissionLink('/?scenario=tg128');
    const text = await textOf(path);
    expect(text).toContain('Accepted');
    expect(text).toContain('as reported by the tool over its repetitions, n not stated');
    const artifact = await fetch(`${server.url}/v1${path}/artifact`);
    expect(artifact.status).toBe(200);
    expect(text).toContain(artifact.headers.get('etag')?.replaceAll('"', ''));
  });

  test('show all 147 runs of a large submission', async () => {
    const html = await htmlOf(await submissionLink('/?subject=quantization&rank_by=decode_tok_s&scenario=base'));
    expect(html.match(/<tr id="res_/g)).toHaveLength(147);
  });
});

describe('URLs', () => {
  // A form sends its empty fields; the canonical URL must omit them.
  test('at /ask are redirected to the page that answers', async () => {
    for (const search of ['', '?q=best+model+on+h100&gpu_count=8']) {
      const response = await fetch(`${server.url}/ask${search}`, { redirect: 'manual' });
      expect([response.status, response.headers.get('location')]).toEqual([302, `/${search}`]);
    }
  });

  test('with empty and default parameters are redirected', async () => {
    const sent = `${server.url}/?subject=system&rank_by=decode_tok_s&order=desc&scenario=base&model=&max_ttft_ms=`;
    const response = await fetch(sent, { redirect: 'manual' });
    expect(response.status).toBe(302);
    expect(response.headers.get('location')).toBe('/?rank_by=decode_tok_s&scenario=base');
  });

  test('with an error show a page that states what to do', async () => {
    const response = await fetch(`${server.url}/?rank_byy=ttft_ms_mean&max_itl_ms=fast`);
    const html = await response.text();
    expect(response.status).toBe(422);
    expect(html).toContain('rank_by');
    expect(html).toContain('must be a number');
    expect(html).toContain('<form');
  });

  test.each(['/nowhere', '/systems/sys_nobody', '/submissions/sub_nobody'])(
    '%s is a page with status 404',
    async (path) => {
      const response = await fetch(server.url + path);
      expect(response.status).toBe(404);
      expect(await response.text()).toContain('<h1');
    },
  );

  test('in links on all pages work', async () => {
    const links = new Set<string>();
    for (const path of await allPages()) {
      for (const [, href = ''] of (await htmlOf(path)).matchAll(/href="([^"]*)"/g)) {
        const url = new URL(href.replaceAll('&amp;', '&'), server.url + path);
        if (url.origin === server.url) links.add(url.href);
      }
    }
    expect(links.size).toBeGreaterThan(50);
    const bodies = new Map<string, string>();
    for (const link of links) {
      const url = new URL(link);
      const { hash } = url;
      url.hash = '';
      // Pages that show an error link to themselves.
      const isMistake = /nobody|nowhere|fast|red/.test(url.href);
      if (!bodies.has(url.href)) {
        const response = await fetch(url);
        if (!isMistake) expect(response.status, url.href).toBe(200);
        bodies.set(url.href, await response.text());
      }
      if (hash !== '') expect(bodies.get(url.href), link).toContain(`id="${hash.slice(1)}"`);
    }
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

  test('filters work without JavaScript and update the URL', async () => {
    await withPage(browser, { javaScriptEnabled: false }, async (page) => {
      await page.goto(server.url);
      await page.locator('.facet summary', { hasText: 'Scenario' }).click();
      await page.getByRole('checkbox', { name: /^Base/ }).check();
      await page.getByLabel('One entry per').selectOption('quantization');
      await page.getByLabel('Rank by').selectOption('decode_tok_s');
      await page.getByRole('button', { name: 'Show' }).click();
      expect(page.url()).toBe(`${server.url}/?subject=quantization&rank_by=decode_tok_s&scenario=base`);
      expect(await page.locator('.board tbody tr').count()).toBe(7);
      await page.locator('.facet summary', { hasText: 'Quantization' }).click();
      await page.getByRole('checkbox', { name: /^w8a16_awq/ }).check();
      await page.getByLabel('ITL at most (ms)').fill('20');
      await page.getByRole('button', { name: 'Show' }).click();
      expect(page.url()).toBe(
        `${server.url}/?subject=quantization&rank_by=decode_tok_s&scenario=base&quantization=w8a16_awq&max_itl_ms=20`,
      );
      expect(await page.locator('.board tbody tr').count()).toBe(1);
      await page.getByRole('link', { name: 'Remove the filter Quantization: w8a16_awq' }).click();
      expect(page.url()).toBe(`${server.url}/?subject=quantization&rank_by=decode_tok_s&scenario=base&max_itl_ms=20`);
      await page.getByRole('link', { name: /^Decode speed/ }).click();
      expect(new URL(page.url()).searchParams.get('order')).toBe('asc');
      await page.getByRole('link', { name: 'Time to first token' }).click();
      expect(page.url()).toBe(`${server.url}/?rank_by=ttft_ms_mean`);
    });
  });
});
