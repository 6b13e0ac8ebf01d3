import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { wordsOf } from '../../support/site/browser.ts';

// The HTML of the home page; site-home-browser.test.ts tests its behaviour in a browser.

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => {
  await server?.dispose();
});

const get = (path: string) => fetch(server.url + path, { redirect: 'manual' });

const textOf = async (path: string) => wordsOf(await (await get(path)).text());
/** The subject of each row of a board, in order. */
const namesOf = (html: string) =>
  [...html.matchAll(/<th role="rowheader"[\s\S]*?<a [^>]*>([^<]*)<\/a>/g)].map(([, name = '']) => name);
const answerOf = (html: string) => wordsOf(/<section class="answer"[\s\S]*?<\/section>/.exec(html)?.[0] ?? '').trim();
const choicesOf = (html: string) => wordsOf(/<section class="choices"[\s\S]*?<\/section>/.exec(html)?.[0] ?? '');
const questionPath = (q: string) => `/?${new URLSearchParams({ q })}`;

describe('a question in words', () => {
  test('shows the interpretation of each phrase, with a link to the view without it', async () => {
    const html = await (await get(questionPath('fastest quantization under 12ms ITL in decode-bound'))).text();
    const text = wordsOf(html);
    for (const label of [
      'Ranked by Per-user speed (tok/s)',
      'One entry per quantization',
      'ITL at most 12 ms',
      'Scenario: Decode bound',
    ])
      expect(text).toContain(label);
    expect(html).toContain('href="/?subject=quantization&amp;rank_by=user_tok_s&amp;scenario=decode-bound"');
    expect(html).toContain('value="fastest quantization under 12ms ITL in decode-bound"');
  });

  // The page and the API return the same answer to a question.
  test('shows the rows of the API, in the same order', async () => {
    const q = 'fastest quantization in decode-bound';
    const answer = await (await get(`/v1/best?${new URLSearchParams({ q })}`)).json();
    const html = await (await get(questionPath(q))).text();
    const shown = namesOf(html);
    expect(shown).toEqual(
      answer.data.map((entry: { system: { quantization: { name: string } } }) => entry.system.quantization.name),
    );
    expect(shown.length).toBeGreaterThan(2);
  });

  test('that is rejected lists the unknown words, with suggestions', async () => {
    const response = await get(questionPath('fastst quantization banana in decode-bound'));
    expect(response.status).toBe(422);
    const html = await response.text();
    expect(wordsOf(html)).toMatch(/"banana" is not understood/);
    const [, href = ''] = /Ask instead: <a href="([^"]+)"/.exec(html) ?? [];
    expect(href).toMatch(/^\/\?q=best\+quantization\+.*decode-bound/);
    expect((await get(href)).status).toBe(200);
  });

  test('is understood for every example of the page', async () => {
    const html = await (await get('/')).text();
    const examples = new Set(
      [...html.matchAll(/href="(\/\?q=[^"]+)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&')),
    );
    expect(examples.size).toBeGreaterThan(3);
    for (const href of examples) expect((await get(href)).status, href).toBe(200);
  });

  test("about cost names the price of each GPU, and accepts the reader's price", async () => {
    const prices = (html: string) => wordsOf(/<section class="prices"[\s\S]*?<\/section>/.exec(html)?.[0] ?? '');
    const path = questionPath('cheapest engine');
    const html = await (await get(path)).text();
    expect(prices(html)).toContain('US dollars per GPU-hour as of 2026-08-15. Tier retail: price of an hour');
    expect(prices(html)).toContain('Used here: rtx-pro-6000 $0.52');
    expect(html).toContain('name="prices" value placeholder=');
    expect(wordsOf(html)).toContain('at $0.52 per GPU-hour, retail');
    // The form also sends its empty fields; the canonical URL omits them.
    const sent = await get(`${path}&price_tier=&${new URLSearchParams({ prices: 'rtx pro 6000 0.9; h100=3' })}`);
    expect(sent.status).toBe(302);
    const kept = sent.headers.get('location') ?? '';
    expect(decodeURIComponent(kept)).toBe('/?q=cheapest+engine&prices=rtx+pro+6000+0.9;+h100=3');
    const own = await (await get(kept)).text();
    expect(wordsOf(own)).toContain('at $0.90 per GPU-hour, your price');
    expect(prices(own)).toContain('Used here: rtx-pro-6000 $0.90 (yours)');
    expect(own).toContain('name="prices" value="rtx pro 6000 0.9; h100=3"');
    // A URL with a parameter for each GPU fills the same field.
    const single = await (await get(`${path}&price%5Brtx-pro-6000%5D=0.9&price%5Bh100%5D=3`)).text();
    expect(single).toContain('name="prices" value="rtx-pro-6000=0.9, h100=3"');
    expect(wordsOf(single)).toContain('at $0.90 per GPU-hour, your price');
  });

  test('about cost names the invalid part of the prices, and keeps the input', async () => {
    for (const path of [questionPath('cheapest engine'), '/?rank_by=usd_per_mtok_output']) {
      const refused = await get(`${path}&${new URLSearchParams({ prices: 'h100=2.1, b200' })}`);
      expect(refused.status).toBe(422);
      const html = await refused.text();
      expect(wordsOf(html)).toContain('"b200" has no price: write h100=2.10');
      expect(html).toContain('name="prices" value="h100=2.1, b200"');
      expect(html).toContain('aria-describedby="prices-fault"');
    }
  });

  test('about cost at one price for all GPUs shows the price with the figures', async () => {
    const answer = await (await get('/v1/best?q=cheapest+engine&gpu_usd_per_hour=2.5')).json();
    const text = await textOf('/?q=cheapest+engine&gpu_usd_per_hour=2.5');
    expect(text).toContain('Cost of a million output tokens ($)');
    expect(text).toContain(answer.data[0].value.toFixed(3));
  });

  // Typical first questions about the sample data; the available metric answers them.
  test('without a metric uses an available one, and names the choice', async () => {
    const html = await (await get(questionPath('best model under 20ms ITL on H100'))).text();
    const text = wordsOf(html);
    const { data, workload, rank_by_choice } = await (
      await get(`/v1/best?${new URLSearchParams({ q: 'best model under 20ms ITL on H100' })}`)
    ).json();
    expect(data.length).toBeGreaterThan(0);
    expect(html.match(/<th role="rowheader"/g)).toHaveLength(data.length);
    expect(html).toContain(`href="/systems/${data[0].system.id}"`);
    expect(rank_by_choice.id).toBe('user_tok_s');
    const choices = choicesOf(html);
    expect(choices).toContain('Metric Per-user speed (tok/s)');
    expect(choices).toContain(workload.reason);
    expect(choices).toContain('1 system');
    const [other] = workload.others;
    expect(html).toContain(`workload=${other.id}`);
    expect(text).toContain('Workload Chatbot, steady');
  });

  // A question about engines, GPUs or quantizations lists their names first, not the model's.
  test.each([
    ['cheapest engine at $2.50 per gpu hour', 'vLLM'],
    ['top 5 gpus by tokens per joule', 'RTX PRO 6000 Blackwell Workstation Edition at 200 W'],
    ['fastest quantization in decode-bound', 'w8a8_sparse_smooth_gptq'],
  ])('returns the requested subject: %s', async (question, name) => {
    const html = await (await get(questionPath(question))).text();
    expect(namesOf(html)[0]).toBe(name);
    expect(answerOf(html)).toMatch(new RegExp(`^[A-Z][A-Za-z -]+: ${name}`));
  });

  test('about cost names the cost as its metric', async () => {
    const html = await (await get(questionPath('cheapest engine at $2.50 per gpu hour'))).text();
    expect(choicesOf(html)).toContain(
      'Metric Cost of a million output tokens ($) (from Output throughput per GPU). The question names it.',
    );
    expect(wordsOf(html)).toContain('A GPU-hour costs $2.50');
  });

  test('about systems with an unspecified fact shows what can be compared', async () => {
    const text = await textOf('/?scenario=base');
    expect(text).toContain('points of systems without a model');
    expect(text).toContain('Shown instead, with all filters met: One entry per quantization instead');
  });

  test('about users has its answer above the first place', async () => {
    const html = await (await get('/?q=how+many+users')).text();
    const [answer, first] = [html.indexOf('requests at once'), html.indexOf('aria-label="First place"')];
    expect(answer).toBeGreaterThan(-1);
    expect(first).toBeGreaterThan(answer);
  });

  test('without an answer links the closest results', async () => {
    const text = await textOf('/?subject=quantization&scenario=base&max_itl_ms=1');
    expect(text).toContain('No matching results');
    const board = await (await get('/v1/best?subject=quantization&rank_by=itl_ms_mean&scenario=base&limit=1')).json();
    const [, nearest] = /Without “ITL at most 1 ms”: .*?, ITL ([\d.]+) ms/.exec(text) ?? [];
    expect(Number(nearest)).toBeCloseTo(board.data[0].value, 2);
  });
});

describe('the table', () => {
  const headingsOf = (html: string) =>
    [...html.matchAll(/<th role="columnheader"[\s\S]*?<\/th>/g)].map(([cell]) => wordsOf(cell).trim());

  test('adds the column of a bound, directly after the ranked one', async () => {
    const plain = headingsOf(
      await (await get('/?subject=quantization&rank_by=decode_tok_s&scenario=decode-bound')).text(),
    );
    expect(plain.join()).not.toContain('Output throughput per GPU');
    const html = await (
      await get('/?subject=quantization&rank_by=decode_tok_s&scenario=decode-bound&max_e2e_ms=99000')
    ).text();
    expect(headingsOf(html)[4]).toContain('E2E latency (ms)');
    expect(
      headingsOf(await (await get(questionPath('fastest quantization under 12ms itl in decode-bound'))).text())[4],
    ).toContain('ITL (ms)');
  });

  test('sorts by every column, in both directions, with links', async () => {
    const start = await (await get('/?subject=quantization&rank_by=decode_tok_s&scenario=decode-bound')).text();
    const head = /<thead role[\s\S]*?<\/thead>/.exec(start)?.[0] ?? '';
    const links = [...head.matchAll(/<a href="(\/[^"]*)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'));
    // The rank column has no link, because the ranked column sorts by it; the last column has two.
    expect(links).toHaveLength(headingsOf(start).length);
    for (const href of links) {
      const html = await (await get(href)).text();
      expect(html.match(/aria-sort="(?:ascending|descending)"/g), href).toHaveLength(1);
      const [, direction] = /aria-sort="(\w+)"/.exec(html) ?? [];
      const [, again = ''] = /<a href="([^"]+)" title="Reverse the order"/.exec(html) ?? [];
      const [, turned] = /aria-sort="(\w+)"/.exec(await (await get(again.replaceAll('&amp;', '&'))).text()) ?? [];
      expect([direction, turned].toSorted(), href).toEqual(['ascending', 'descending']);
    }
  });

  test('sorts rows by a column, and keeps their ranks', async () => {
    const ranks = async (path: string) =>
      [...(await (await get(path)).text()).matchAll(/data-label="Rank">([^<]+)/g)].map(([, rank]) => rank);
    const names = async (path: string) => namesOf(await (await get(path)).text());
    const byName = await names('/?subject=quantization&rank_by=decode_tok_s&scenario=decode-bound&sort=system');
    expect(byName).toEqual([...byName].sort((a, b) => a.localeCompare(b, 'en', { numeric: true })));
    expect(await names('/?subject=quantization&rank_by=decode_tok_s&scenario=decode-bound&sort=-system')).toEqual(
      byName.toReversed(),
    );
    expect(
      (await ranks('/?subject=quantization&rank_by=decode_tok_s&scenario=decode-bound&sort=system')).toSorted(),
    ).toEqual((await ranks('/?subject=quantization&rank_by=decode_tok_s&scenario=decode-bound')).toSorted());
  });

  test('has filters with the counts of the catalogue, and several values of one fact', async () => {
    const { data } = await (await get('/v1/catalogue/scenarios')).json();
    const base = data.find(({ id }: { id: string }) => id === 'base');
    const html = await (await get('/')).text();
    expect(wordsOf(/value="base"[\s\S]*?<\/label>/.exec(html)?.[0] ?? '')).toContain(
      `${base.name} ${base.points} points`,
    );
    const both = await textOf('/?subject=quantization&scenario=base&scenario=decode-bound');
    expect(both).toContain('Scenario: Base');
    expect(both).toContain('Scenario: Decode bound');
  });

  test('starts with a sentence: the best, its workload, its interval and its source', async () => {
    const { data } = await (
      await get('/v1/best?full=true&subject=quantization&rank_by=decode_tok_s&scenario=decode-bound')
    ).json();
    const html = await (await get('/?subject=quantization&rank_by=decode_tok_s&scenario=decode-bound')).text();
    const answer = /<section class="answer"[\s\S]*?<\/section>/.exec(html)?.[0] ?? '';
    expect(answer).toContain('w8a8');
    expect(wordsOf(answer)).toMatch(
      /Fastest decode: w8a8\w* with .*: 198\.06 tok\/s, 256 in \/ 512 out, .*, mean of 3 measurements, self-reported/,
    );
    expect(wordsOf(answer)).toMatch(/95 % interval 197\.\d+ to 198\.\d+\./);
    expect(answer).toContain(`/submissions/${data[0].statistics.runs[0].submission_id}`);
  });
});

// The tool averaged and states a deviation, but not the number of runs.
test('claims no interval in its first lines if there is none', async () => {
  const html = await (await get('/?workload=tg128-offline&rank_by=decode_tok_s')).text();
  const answer = answerOf(html);
  expect(answer).toContain('number of runs not stated');
  expect(answer).not.toContain('interval');
  expect(answer).toContain('Tied with 1 other: the values are equal.');
  expect(wordsOf(html)).toContain('A row without an interval ranks by its value alone');
});

describe('the chart', () => {
  /** The part of the page from the explorer to the filters. */
  const explorerOf = (html: string) => /<section class="explorer[\s\S]*?class="permalink"/.exec(html)?.[0] ?? '';
  const curvesOf = (html: string) => [...html.matchAll(/data-curve="([^"]*)"/g)].map(([, name]) => name);
  const board = '/?workload=tg128-offline&rank_by=decode_tok_s';

  test.each([
    ['a board by subject', `${board}&subject=quantization`, 'y=decode_tok_s&amp;by=quantization'],
    ['a question', questionPath('fastest quantization in tg128'), 'by=quantization'],
    ['a metric of the URL', `${board}&x=itl_ms_mean`, 'x=itl_ms_mean'],
  ])('of %s is the explorer, with all points of the board', async (_, path, state) => {
    const html = explorerOf(await (await get(path)).text());
    expect(curvesOf(html).length).toBeGreaterThan(0);
    const [, link = ''] = /data-href="([^"]*)"/.exec(html) ?? [];
    expect(link).toContain('curves=points');
    expect(link).toContain(state);
    const explored = await (await get(link.replaceAll('&amp;', '&'))).text();
    expect(curvesOf(explored)).toEqual(curvesOf(html));
  });

  // Metrics that are computed from each other form a line.
  test('shows its chosen metrics', async () => {
    expect(wordsOf(explorerOf(await (await get(board)).text()))).toContain('decode speed over tokens per joule');
  });

  test('uses a bound on its axis as its limit', async () => {
    const html = explorerOf(await (await get(`${board}&min_tok_per_joule=0.1`)).text());
    expect(html).toContain('data-bound="min_tok_per_joule"');
    expect(html).toContain('aria-valuenow="0.1"');
    expect(wordsOf(html)).toMatch(/Decode speed at 0.1\d* tok\/J or more/);
  });
});

describe('the chart of a board that ranks unspecified models', () => {
  test('has the rows of the table, with their figures', async () => {
    const html = await (await get('/?subject=quantization&rank_by=decode_tok_s&scenario=decode-bound')).text();
    const rows = [...html.matchAll(/<th role="rowheader"/g)].length;
    const figure = /<figure class="chart pareto"[^>]*>[\s\S]*?<\/figure>/.exec(html)?.[0] ?? '';
    expect([...figure.matchAll(/<circle/g)]).toHaveLength(rows);
    expect([...figure.matchAll(/<th scope="row"[^>]*>/g)]).toHaveLength(rows);
    expect(figure).toContain('>yes<');
  });

  test('uses the bounds of the question or of the URL', async () => {
    expect(
      await textOf('/?subject=quantization&rank_by=decode_tok_s&scenario=decode-bound&max_e2e_ms=99000'),
    ).toContain('Decode speed against E2E latency');
    expect(await textOf('/?subject=quantization&rank_by=decode_tok_s&scenario=decode-bound&x=itl_ms_mean')).toContain(
      'Decode speed against ITL',
    );
  });
});

describe('links', () => {
  test('lead to the data as JSON, CSV and a command, which all work', async () => {
    for (const path of ['/?subject=quantization&scenario=base', questionPath('fastest quantization in decode-bound')]) {
      const html = await (await get(path)).text();
      const links = [...html.matchAll(/<link rel="alternate" type="(?:application\/json|text\/csv)" href="([^"]+)"/g)];
      expect(links).toHaveLength(2);
      for (const [, href = ''] of links) expect((await get(href.replaceAll('&amp;', '&'))).status, href).toBe(200);
      expect(html).toContain('curl -sS');
    }
  });

  test('include an image of 1200 by 630 for every kind of page', async () => {
    const html = await (await get('/?subject=quantization&rank_by=decode_tok_s&scenario=decode-bound')).text();
    const [, submission = ''] = /href="\/submissions\/([^"#]+)#/.exec(html) ?? [];
    const [, system = ''] = /href="\/systems\/([^"#]+)"/.exec(html) ?? [];
    const [, own = ''] = /<meta property="og:image" content="([^"]+)"/.exec(html) ?? [];
    const paths = [
      new URL(own).pathname + new URL(own).search,
      `/og/submissions/${submission}.png`,
      `/og/systems/${system}.png`,
      '/og/board.png?q=nonsense',
    ];
    for (const path of paths) {
      const response = await get(path.replaceAll('&amp;', '&'));
      expect(response.status, path).toBe(200);
      expect(response.headers.get('content-type')).toBe('image/png');
      const view = new DataView(await response.arrayBuffer());
      expect([view.getUint32(16), view.getUint32(20)]).toEqual([1200, 630]);
    }
    expect((await get('/og/systems/sys_nobody.png')).status).toBe(404);
  });
});
