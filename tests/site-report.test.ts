/// <reference lib="dom" />
import { gzipSync } from 'node:zlib';
import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fullGrid } from '../packages/core/src/report/testing.ts';
import { chromiumPath, launchBrowser } from './support/browser.ts';
import { adminKey, startTestServer, type TestServer } from './support/server.ts';

// The page of a system against what the API says of it.

interface Figure {
  metric: string;
  value: number;
  n: number | null;
  ci95: [number, number] | null;
  load: { mode: string; level: number };
}
interface Series {
  scenario: { title: string };
  values: Figure[];
}
interface Queue {
  scenario: { title: string };
  text: string;
}
type Charts = Record<string, Series[]>;
interface Report {
  headline: Record<string, Figure | null>;
  peak: Charts | null;
  burst: (Charts & { max_safe_queue: unknown }) | null;
  batch: Charts | null;
  findings: { id: string; sentence: string }[];
}

let server: TestServer;
/** A whole inference report, three times over. */
let grid: string;
/** The six points of the sample data that a report states. */
let sparse: string;
let offline: string;
let kernel: string;
let report: Report;

async function api<T>(path: string): Promise<T> {
  const response = await fetch(server.url + path);
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

async function systemWith(query: string): Promise<string> {
  const { data } = await api<{ data: { id: string }[] }>(`/v1/systems?${query}`);
  const [first] = data;
  if (first === undefined) throw new Error(`no system for ${query}`);
  return first.id;
}

/** Three repetitions, the second a hundredth slower and the third as much faster. */
function submission(): string {
  const results = fullGrid.flatMap(({ scenario, mode, level, metrics }) =>
    [1, 1.01, 0.99].map((factor, index) => ({
      scenario,
      load: { mode, level },
      repetition: index + 1,
      metrics: {
        ...metrics,
        ttft_ms_mean: (metrics.ttft_ms_mean ?? 0) * factor,
        user_tok_s: (metrics.user_tok_s ?? 0) / factor,
      },
    })),
  );
  const system = { model: 'Qwen/Qwen3.5-35B-A3B-FP8', quantization: 'fp8', gpu: 'h200', gpu_count: 1 };
  return JSON.stringify({ schema: 'inferboard/v1', system: { ...system, engine: { name: 'vllm' } }, results });
}

beforeAll(async () => {
  server = await startTestServer();
  const response = await fetch(`${server.url}/v1/submissions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminKey}` },
    body: submission(),
  });
  if (response.status !== 201) throw new Error(await response.text());
  grid = await systemWith('gpu=h200');
  sparse = await systemWith('tool=native&gpu=h100');
  offline = await systemWith('quantization=w8a16_awq');
  kernel = new URL(
    (await api<{ data: { system: { links: { page: string } } }[] }>('/v1/leaderboard?rank_by=forward_ms')).data[0]
      ?.system.links.page ?? '',
  ).pathname.replace('/systems/', '');
  report = await api<Report>(`/v1/systems/${grid}/report`);
});
afterAll(async () => {
  await server?.dispose();
});

const pageOf = (id: string, query = '') => `${server.url}/systems/${id}${query}`;

async function htmlOf(id: string, query = ''): Promise<string> {
  const response = await fetch(pageOf(id, query));
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  return response.text();
}

const plain = (html: string) =>
  html
    .replace(/<[^>]+>/g, '')
    .replaceAll('&gt;', '>')
    .replaceAll('&#39;', "'")
    .replace(/\s+/g, ' ');

/** A printed figure as a number in the metric's own unit. */
function numberOf(text: string): number {
  const [, digits = '', unit = ''] = /^([\d,.]+)\s*(\S*)/.exec(text) ?? [];
  const factor = unit === 's' ? 1000 : unit === '%' ? 0.01 : 1;
  return Number(digits.replaceAll(',', '')) * factor;
}

/** Charts of the page by the series that they show. */
const charts: readonly { id: string; of: (report: Report) => Series[] }[] = [
  { id: 'peak-speed', of: ({ peak }) => peak?.user_tok_s ?? [] },
  { id: 'peak-itl', of: ({ peak }) => peak?.itl_ms ?? [] },
  { id: 'peak-scaling', of: ({ peak }) => peak?.scaling_efficiency ?? [] },
  { id: 'burst-ttft', of: ({ burst }) => burst?.ttft_ms ?? [] },
  { id: 'burst-itl', of: ({ burst }) => burst?.itl_ms ?? [] },
  { id: 'burst-speed', of: ({ burst }) => burst?.user_tok_s ?? [] },
];

describe('what the page says', () => {
  test('every sentence of the report stands on it, word for word', async () => {
    const text = plain(await htmlOf(grid));
    expect(report.findings.length).toBeGreaterThan(14);
    for (const { sentence } of report.findings) expect(text).toContain(sentence);
  });

  test('lines are drawn where the sentences judge', async () => {
    const html = await htmlOf(grid);
    const within = (id: string) =>
      html.slice(html.indexOf(`id="${id}"`), html.indexOf('</figure>', html.indexOf(`id="${id}"`)));
    expect(within('peak-itl')).toMatch(/class="limit-text"[^>]*>\s*20 ms\s*</);
    expect(within('burst-ttft')).toMatch(/class="limit-text"[^>]*>\s*3\.0 s\s*</);
    expect(within('burst-itl')).toMatch(/class="limit-text"[^>]*>\s*70 ms\s*</);
    expect(within('peak-speed')).toContain('Roofline');
    expect(within('peak-range')).toContain('class="band"');
    expect(within('peak-ttft')).toContain('class="band"');
  });

  test('what nobody measured keeps its place, and says so', async () => {
    const text = plain(await htmlOf(sparse));
    expect(text).toMatch(/Max output throughput —not measured/);
    expect(text).toContain('No static batch was measured.');
  });

  test('configuration, artifact and every repetition are there', async () => {
    const html = await htmlOf(grid);
    const { data } = await api<{ data: { id: string; submission_id: string }[] }>(
      `/v1/results?system=${grid}&limit=200`,
    );
    expect(data.length).toBe(fullGrid.length * 3);
    for (const { id, submission_id } of data) expect(html).toContain(`/submissions/${submission_id}#${id}"`);
    expect(html).toContain(`/v1/submissions/${data[0]?.submission_id}/artifact"`);
    expect(plain(html)).toMatch(/GPU NVIDIA H200|GPU ?H200/);
  });

  test('systems of other kinds have a page without sections that would be empty', async () => {
    const html = await htmlOf(kernel);
    expect(html).not.toContain('class="headline"');
    expect(html).toContain('id="points-title"');
    expect(await htmlOf(offline)).toContain('Offline, in batches');
  });

  test('it offers its data, and the command that fetches it works', async () => {
    const html = await htmlOf(grid, '?ttft_limit_s=1');
    const [, command = ''] = /<code>curl -sS (?:'|&#39;)([^'&]*)/.exec(html) ?? [];
    const fetched = (await (await fetch(command)).json()) as Report & { ttft_limit_s: number };
    expect(fetched.ttft_limit_s).toBe(1);
    const [, csv = ''] = /href="(\/v1\/results\.csv\?[^"]*)"/.exec(html) ?? [];
    const rows = (await (await fetch(server.url + csv)).text()).trim().split('\n');
    expect(rows.length).toBe(fullGrid.length * 3 + 1);
  });
});

describe('addresses', () => {
  test('the limit is part of the address, and the usual one is not', async () => {
    expect(plain(await htmlOf(grid, '?ttft_limit_s=1'))).toContain('Max safe queue at a TTFT of 1.0 s');
    const usual = await fetch(pageOf(grid, '?ttft_limit_s=3'), { redirect: 'manual' });
    expect([usual.status, usual.headers.get('location')]).toEqual([302, `/systems/${grid}`]);
  });

  test('a limit that cannot be is a page that says what to do, above the report', async () => {
    const response = await fetch(pageOf(grid, '?ttft_limit_s=soon&colour=red'));
    const html = await response.text();
    expect(response.status).toBe(422);
    expect(html).toContain('must be a number of seconds');
    expect(html).toContain('<code>colour');
    expect(html).toContain('id="burst-ttft"');
  });
});

describe('what it weighs', () => {
  test('a system of 180 results stays below 100 KB, without a script or an inline style', async () => {
    const html = await htmlOf(grid);
    expect(gzipSync(html).length).toBeLessThan(100_000);
    expect(html).not.toMatch(/<style|<script|\sstyle="|\son[a-z]+="/);
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

  async function withPage<T>(options: BrowserContextOptions, visit: (page: Page) => Promise<T>): Promise<T> {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    const troubles: string[] = [];
    page.on('pageerror', (error) => troubles.push(error.message));
    page.on('console', (message) => message.type() === 'error' && troubles.push(message.text()));
    try {
      const result = await visit(page);
      expect(troubles).toEqual([]);
      return result;
    } finally {
      await context.close();
    }
  }

  test('headline and tables hold the figures of the API, to the digits they show', async () => {
    await withPage({ javaScriptEnabled: false }, async (page) => {
      await page.goto(pageOf(grid));
      const headline = await page.locator('.headline-value').allInnerTexts();
      const { peak_decode_speed, max_decode_throughput, best_ttft } = report.headline;
      for (const [index, figure] of [peak_decode_speed, max_decode_throughput, null, best_ttft].entries()) {
        if (figure) expect(numberOf(headline[index] ?? '')).toBeCloseTo(figure.value, -Math.log10(figure.value * 1e-3));
      }
      const compared: string[] = [];
      for (const { id, of } of charts) {
        await page.locator(`#${id} summary`).click();
        const heads = await page.locator(`#${id} thead th`).allInnerTexts();
        for (const { scenario, values } of of(report)) {
          const column = heads.indexOf(scenario.title) - 1;
          expect(column, scenario.title).toBeGreaterThanOrEqual(0);
          for (const { value, n, ci95, load } of values) {
            const cell = page.locator(`#${id}-chart-${load.level} td`).nth(column);
            const text = await cell.innerText();
            // Two digits of a percentage, three of the others.
            const tolerance = text.includes('%') ? 0.0051 : value * 0.005;
            const place = `${id} ${scenario.title} ${load.level}: ${text}`;
            expect(Math.abs(numberOf(text) - value), place).toBeLessThanOrEqual(tolerance);
            expect(text).toContain(`n ${n}`);
            expect(/ to /.test(text)).toBe(ci95 !== null);
            compared.push(text);
          }
        }
      }
      expect(compared.length).toBeGreaterThan(100);
      const queues = report.burst?.max_safe_queue as Queue[];
      const shown = await page.locator('.queue-cards li').allInnerTexts();
      for (const [index, { scenario, text }] of queues.entries()) {
        expect(shown[index]).toContain(scenario.title);
        expect(shown[index]).toContain(text.replace('>=', '≥'));
      }
    });
  }, 120_000);

  test('another limit is chosen without JavaScript', async () => {
    await withPage({ javaScriptEnabled: false }, async (page) => {
      await page.goto(pageOf(grid));
      await page.getByLabel('Longest wait that users accept, seconds').fill('0.5');
      await page.getByRole('button', { name: 'Show' }).click();
      expect(page.url()).toBe(`${pageOf(grid)}?ttft_limit_s=0.5#safe-queue`);
      expect(await page.locator('.queue-value').first().innerText()).not.toContain('131');
    });
  });

  test('the values of a chart are reached with the keyboard, and lead to their row of the table', async () => {
    await withPage({ javaScriptEnabled: false }, async (page) => {
      await page.goto(pageOf(grid));
      await page.locator('#burst-ttft .chart-intro a').focus();
      await page.keyboard.press('Tab');
      const first = page.locator('#burst-ttft .stop').first();
      await expect.poll(() => first.evaluate((stop) => stop === stop.ownerDocument.activeElement)).toBe(true);
      expect(await first.getAttribute('aria-label')).toMatch(/^burst of 1: Chatbot 0\.189 s, n 3; RAG \/ QA 0\.23 s/);
      expect(await first.locator('.tip').evaluate((tip) => getComputedStyle(tip).visibility)).toBe('visible');
      await page.keyboard.press('Tab');
      expect(await first.locator('.tip').evaluate((tip) => getComputedStyle(tip).visibility)).toBe('hidden');
      const second = page.locator('#burst-ttft .stop').nth(1);
      expect(await second.locator('.tip').evaluate((tip) => getComputedStyle(tip).visibility)).toBe('visible');
      await page.keyboard.press('Enter');
      expect(new URL(page.url()).hash).toBe('#burst-ttft-chart-2');
      expect(await page.locator('#burst-ttft-chart-2').isVisible()).toBe(true);
    });
  });

  test.each([320, 1280])('no page scrolls sideways at %d pixels, and tips stay inside', async (width) => {
    await withPage({ viewport: { width, height: 800 } }, async (page) => {
      for (const id of [grid, sparse, offline, kernel]) {
        await page.goto(pageOf(id));
        expect(await page.evaluate(() => document.documentElement.scrollWidth), id).toBeLessThanOrEqual(width);
        const outside = await page.evaluate(() => {
          const wide = document.documentElement.clientWidth;
          return [...document.querySelectorAll('.tip rect')].filter((tip) => {
            const { left, right } = tip.getBoundingClientRect();
            return left < -0.5 || right > wide + 0.5;
          }).length;
        });
        expect(outside, id).toBe(0);
      }
    });
  });

  test.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 320],
    ['dark', 320],
  ] as const)(
    'axe finds nothing, %s at %d pixels',
    async (colorScheme, width) => {
      await withPage({ colorScheme, viewport: { width, height: 900 }, bypassCSP: true }, async (page) => {
        for (const id of [grid, sparse, offline, kernel]) {
          await page.goto(pageOf(id));
          for (const details of await page.locator('#peak-itl details, #burst-ttft details').all()) {
            await details.locator('summary').click();
          }
          // Contrast on a gradient cannot be judged: without the shade at the edges of tables it can.
          await page.addStyleTag({ content: '.scroll { background: var(--surface) !important }' });
          await page.evaluate(axe.source);
          const violations = await page.evaluate(async () => {
            const found = await (globalThis as unknown as { axe: typeof axe }).axe.run();
            return found.violations.map(
              ({ id: rule, nodes }) =>
                `${rule}: ${nodes
                  .slice(0, 3)
                  .map(({ html }) => html.slice(0, 200))
                  .join(' | ')}`,
            );
          });
          expect(violations, id).toEqual([]);
        }
      });
    },
    180_000,
  );
});
