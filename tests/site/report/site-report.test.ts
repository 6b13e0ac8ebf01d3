import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fullGrid } from '../../../packages/core/src/testing/report-grid.ts';
import { type Report, type ReportServer, startReportServer } from '../../support/reports.ts';
import { wordsOf } from '../../support/site/browser.ts';

// Compares a system's page with the API; site-report-browser.test.ts tests its charts.

let given: ReportServer;

beforeAll(async () => {
  given = await startReportServer();
});
afterAll(async () => {
  await given?.server.dispose();
});

const pageOf = (id: string, query = '') => `${given.server.url}/systems/${id}${query}`;

async function htmlOf(id: string, query = ''): Promise<string> {
  const response = await fetch(pageOf(id, query));
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  return response.text();
}

describe('the report page', () => {
  test('has every sentence of the report, word for word', async () => {
    const text = wordsOf(await htmlOf(given.grid));
    expect(given.report.findings.length).toBeGreaterThan(14);
    for (const { sentence } of given.report.findings) expect(text).toContain(sentence);
  });

  test('shows the published points of the sample report, both queue estimates and the architecture', async () => {
    const html = await htmlOf(given.sparse);
    const text = wordsOf(html);
    expect(text).toMatch(/Model ?Qwen\/Qwen3\.5-35B-A3B-FP8/);
    expect(text).toMatch(/GPU ?1x H100/);
    expect(text).toMatch(/Architecture ?35B MoE, 3B active params, FP8/);
    for (const figure of [
      '172.5 tok/s',
      '13.2 tok/s',
      '5.8 ms',
      '75.8 ms',
      '41 %',
      '211 ms',
      '6.18 s',
      '189 ms',
      '8.25 s',
    ])
      expect(text, figure).toContain(figure);
    for (const figure of ['70.6 tok/s', '9,774 tok/s', '38.9 ms', '25.7 tok/s', '172.4 tok/s'])
      expect(text, figure).toContain(figure);
    const queues = text.slice(text.indexOf('Max safe queue at a TTFT of 3.0 s'));
    for (const [title, stated] of Object.entries({
      Chatbot: 131,
      'RAG / QA': 84,
      Agentic: 19,
      'Tool-calling agent': 8,
    }))
      expect(queues, title).toMatch(
        new RegExp(`${title}(?:(?!requests).)*(?:89 requests.*?)?stated by the submitter: ${stated}`),
      );
    expect(wordsOf(await htmlOf(given.sparse, '?ttft_limit_s=1'))).not.toContain('stated by the submitter');
  });

  test('has the published order: facts, scenarios, words, headline, closed loop, bursts', async () => {
    const html = await htmlOf(given.grid);
    const places = [
      '>Architecture<',
      'id="scenarios"',
      'id="words"',
      'class="headline"',
      'id="peak"',
      'id="burst"',
      'id="safe-queue"',
    ];
    const found = places.map((place) => html.indexOf(place));
    expect(found).toEqual(found.toSorted((a, b) => a - b));
    expect(found).not.toContain(-1);
  });

  test('draws limit lines for the limits named in the sentences', async () => {
    const html = await htmlOf(given.grid);
    const within = (id: string) =>
      html.slice(html.indexOf(`id="${id}"`), html.indexOf('</figure>', html.indexOf(`id="${id}"`)));
    expect(within('peak-itl')).toMatch(/class="limit-text"[^>]*>\s*20 ms\s*</);
    expect(within('burst-ttft')).toMatch(/class="limit-text"[^>]*>\s*3\.0 s\s*</);
    expect(within('burst-itl')).toMatch(/class="limit-text"[^>]*>\s*70 ms\s*</);
    expect(within('peak-speed')).toContain('Roofline');
    expect(within('peak-range')).toContain('class="band"');
    expect(within('peak-ttft')).toContain('class="band"');
  });

  // Tables with all statistics of all scenarios would exceed the page size limit, so each scenario has a URL.
  test('links every statistic of one scenario, and keeps the others short', async () => {
    const brief = await htmlOf(given.grid);
    expect(brief).toContain(`href="/systems/${given.grid}?statistics=scenario-2#scenario-2"`);
    const html = await htmlOf(given.grid, '?statistics=scenario-2');
    const sectionOf = (page: string, at: number) =>
      page.slice(page.indexOf(`id="scenario-${at}"`), page.indexOf(`id="scenario-${at + 1}"`));
    expect(sectionOf(html, 2)).not.toContain('All statistics of this table');
    expect(sectionOf(html, 3)).toBe(sectionOf(brief, 3));
    expect(html).toMatch(/<link rel="canonical" href="[^"]*\?statistics=scenario-2"/);
    const whole = await htmlOf(given.grid, '?statistics=all');
    expect(gzipSync(whole).length).toBeLessThan(100 * 1024);
  });

  test('keeps unmeasured sections in place, with a note', async () => {
    const text = wordsOf(await htmlOf(given.sparse));
    expect(text).toMatch(/Max output throughput —not measured/);
    expect(text).toContain('No static batch was measured.');
  });

  test('has configuration, artifact and every repetition', async () => {
    const html = await htmlOf(given.grid);
    const answer = await fetch(`${given.server.url}/v1/results?system=${given.grid}&limit=200`);
    const { data } = (await answer.json()) as { data: { id: string; submission_id: string }[] };
    expect(data.length).toBe(fullGrid.length * 3);
    for (const { id, submission_id } of data) expect(html).toContain(`/submissions/${submission_id}#${id}"`);
    expect(html).toContain(`/v1/submissions/${data[0]?.submission_id}/artifact"`);
    expect(wordsOf(html)).toMatch(/GPU NVIDIA H200|GPU ?H200/);
  });

  test('omits empty sections for other kinds of systems', async () => {
    const html = await htmlOf(given.kernel);
    expect(html).not.toContain('class="headline"');
    expect(html).toContain('id="points-title"');
    expect(await htmlOf(given.offline)).toContain('Offline, in batches');
  });

  test('offers its data, with a command that works', async () => {
    const html = await htmlOf(given.grid, '?ttft_limit_s=1');
    const [, command = ''] = /<code[^>]*>curl -sS (?:'|&#39;)([^'&]*)/.exec(html) ?? [];
    const fetched = (await (await fetch(command)).json()) as Report & { ttft_limit_s: number };
    expect(fetched.ttft_limit_s).toBe(1);
    const [, csv = ''] = /href="(\/v1\/results\.csv\?[^"]*)"/.exec(html) ?? [];
    const rows = (await (await fetch(given.server.url + csv)).text()).trim().split('\n');
    expect(rows.length).toBe(fullGrid.length * 3 + 1);
  });
});

describe('the URL', () => {
  test('has the limit only if it is not the default', async () => {
    expect(wordsOf(await htmlOf(given.grid, '?ttft_limit_s=1'))).toContain('Max safe queue at a TTFT of 1.0 s');
    const usual = await fetch(pageOf(given.grid, '?ttft_limit_s=3'), { redirect: 'manual' });
    expect([usual.status, usual.headers.get('location')]).toEqual([302, `/systems/${given.grid}`]);
  });

  test('with an invalid limit shows an error above the report', async () => {
    const response = await fetch(pageOf(given.grid, '?ttft_limit_s=soon&colour=red'));
    const html = await response.text();
    expect(response.status).toBe(422);
    expect(html).toContain('must be a number of seconds');
    expect(html).toMatch(/<code[^>]*>colour/);
    expect(html).toContain('id="burst-ttft"');
  });
});

describe('each chart file', () => {
  const fileHrefs = (html: string, extension: string) =>
    [...html.matchAll(new RegExp(`href="(/systems/[^"]+\\.${extension}(?:\\?[^"]*)?)"`, 'g'))].map(
      ([, href = '']) => href,
    );
  const fetchFile = async (href: string) => {
    const response = await fetch(given.server.url + href);
    return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
  };

  test('as SVG has the title, the system, the unit, its page and the date', async () => {
    const html = await htmlOf(given.grid, '?ttft_limit_s=2');
    const hrefs = fileHrefs(html, 'svg');
    expect(hrefs.length).toBeGreaterThan(4);
    expect(hrefs.length).toBe(html.match(/<summary[^>]*>Data table and files/g)?.length);
    for (const href of hrefs) {
      expect(href).toContain('?ttft_limit_s=2');
      const { status, type, text } = await fetchFile(href);
      expect([status, type], href).toEqual([200, 'image/svg+xml']);
      expect(text).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"[\s\S]*<\/svg>$/);
      expect(text).toContain('Qwen3.5');
      expect(text).toContain(`/systems/${given.grid}?ttft_limit_s=2#`);
      expect(text).toContain(new Date().toISOString().slice(0, 10));
    }
  });

  test('as PNG has 1200 by 630 pixels', async () => {
    const [href = ''] = fileHrefs(await htmlOf(given.grid), 'png');
    const response = await fetch(given.server.url + href);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png']);
    const header = Buffer.from(await response.arrayBuffer()).subarray(16, 24);
    expect([header.readUInt32BE(0), header.readUInt32BE(4)]).toEqual([1200, 630]);
  });

  test('as CSV has every value of the API', async () => {
    const hrefs = fileHrefs(await htmlOf(given.grid), 'csv').filter((href) =>
      href.startsWith(`/systems/${given.grid}/`),
    );
    const texts = await Promise.all(hrefs.map(async (href) => (await fetchFile(href)).text));
    const values = new Set(
      texts.flatMap((text) =>
        text
          .split('\r\n')
          .slice(1)
          .map((row) => Number(row.split(',').at(6))),
      ),
    );
    // TTFT without queues is not drawn.
    const { user_tok_s = [], itl_ms = [] } = given.report.peak ?? {};
    const stated = [...user_tok_s, ...itl_ms, ...(given.report.burst?.ttft_ms ?? [])].flatMap(
      (series) => series.values,
    );
    expect(stated.length).toBeGreaterThan(20);
    expect(stated.filter(({ value }) => !values.has(value))).toEqual([]);
  });

  test('returns an error for an unknown chart, an unknown system or an invalid limit', async () => {
    expect((await fetchFile(`/systems/${given.grid}/nothing.svg`)).status).toBe(404);
    const { status, type } = await fetchFile(`/systems/${given.grid}/%3Cscript%3Ealert(1)%3C%2Fscript%3E.svg`);
    expect([status, type?.split(';')[0]]).toEqual([404, 'text/plain']);
    expect((await fetchFile('/systems/sys_000000000000000000000000/peak-speed.csv')).status).toBe(404);
    expect((await fetchFile(`/systems/${given.grid}/nothing.svg?ttft_limit_s=x`)).status).toBe(422);
  });
});
