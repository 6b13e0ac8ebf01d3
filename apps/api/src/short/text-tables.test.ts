import { beforeAll, describe, expect, it } from 'vitest';
import { adminKey, baseUrl, useTestApp } from '../testing/index.ts';
import { textTable } from './text-table.ts';

const app = useTestApp();

/** Repeated measurements of one engine version. */
const report = (version: string, speeds: number[], more: object = {}) =>
  JSON.stringify({
    schema: 'inferboard/v1',
    system: {
      model: 'llama-3.1-8b',
      quantization: 'fp8',
      gpu: 'h100-sxm',
      gpu_count: 1,
      engine: { name: 'vllm', version },
    },
    scenario: 'chatbot',
    results: speeds.map((value) => ({
      load: { mode: 'concurrency', level: 8 },
      metrics: { output_tok_s: value, ttft_ms_mean: 12_345 },
    })),
    ...more,
  });

interface Entry {
  value: number;
  statistics: { ci95: [number, number] };
  system: { id: string };
}
let ids: string[] = [];
beforeAll(async () => {
  for (const [version, speeds] of [
    ['0.11.0', [1240, 1230, 1250, 1241]],
    ['0.10.2', [1180]],
    ['0.9.2', [900, 905, 895]],
  ] as const)
    expect((await app.submit(report(version, [...speeds]), {}, adminKey)).status).toBe(201);
  const { data } = await app.get<{ data: Entry[] }>('/v1/leaderboard?workload=chatbot');
  ids = data.map(({ system }) => system.id);
});

async function textOf(path: string): Promise<string> {
  const response = await app.request(path);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/plain; charset=UTF-8']);
  return response.text();
}

describe('a board in the text format', () => {
  it('has columns for rank, value with half its interval, unit, n, system, load and source', async () => {
    const path = '/v1/leaderboard?workload=chatbot&rank_by=output_tok_s';
    const { data } = await app.get<{ data: Entry[] }>(path);
    const [low = 0, high = 0] = data[0]?.statistics.ci95 ?? [];
    const text = await textOf(`${path}&format=text`);
    const [title, blank, header = '', first = '', second = '', third = '', ...rest] = text.split('\n');
    expect([title, blank]).toEqual(['Ranked by output_tok_s in chatbot-steady', '']);
    expect(header.split(/ {2,}/)).toEqual(['Rank', 'Value ± 95 %', 'Unit', 'n', 'System', 'Load', 'Source']);
    const cells = first.trim().split(/ {2,}/);
    expect(cells).toEqual([
      '1',
      expect.stringMatching(/^1,240(\.\d+)? ± \d+(\.\d+)?$/),
      'tok/s',
      '4',
      'Llama 3.1 8B, FP8, H100 SXM5 80GB, vLLM 0.11.0',
      '8 concurrent',
      'self_reported',
    ]);
    expect(Number(cells[1]?.split('± ')[1])).toBeCloseTo((high - low) / 2, 0);
    // A single run has no interval.
    expect(second.trim().split(/ {2,}/).slice(0, 4)).toEqual(['2', '1,180', 'tok/s', '1']);
    expect(third).toContain('vLLM 0.9.2');
    const systemAt = header.indexOf('System');
    for (const line of [first, second, third]) expect(line.slice(systemAt)).toMatch(/^Llama 3\.1 8B/);
    expect(rest).toEqual(['', `Page: ${baseUrl}/?workload=chatbot&rank_by=output_tok_s`, '']);
  });

  it('continues at the URL in its last line', async () => {
    const first = await textOf('/v1/leaderboard?workload=chatbot&limit=1&format=text');
    const next = /^Next: http:\/\/inferboard\.test(\S+)$/m.exec(first)?.[1] ?? expect.fail(first);
    const second = await textOf(next);
    expect(second).toMatch(/^ +2 .*0\.10\.2/m);
    // A cursor of the text is one of the JSON, too.
    const { data } = await app.get<{ data: Entry[] }>(next.replace('&format=text', ''));
    expect(data.map(({ system }) => system.id)).toEqual([ids[1]]);
  });

  it('has no interval for costs, and shows long times in seconds', async () => {
    const costs = await textOf(
      '/v1/leaderboard?workload=chatbot&rank_by=usd_per_mtok_output&price[h100]=3&format=text',
    );
    expect(costs).toContain('Ranked by usd_per_mtok_output');
    expect(costs).not.toMatch(/\d ± /);
    expect(await textOf('/v1/leaderboard?workload=chatbot&rank_by=ttft_ms_mean&format=text')).toMatch(/12\.3\d* +s /);
  });

  it('states that no result meets the bounds, and returns errors as text', async () => {
    expect(await textOf('/v1/leaderboard?min_output_tok_s=99999&format=text')).toContain('No stored result matches.');
    const refused = await app.request('/v1/leaderboard?gpu=h1000&format=text');
    expect(refused.status).toBe(422);
    expect(await refused.text()).toMatch(/^Error: .*\n {2}- .*h1000/);
    expect((await app.request('/v1/leaderboard?format=csv')).status).toBe(422);
  });
});

describe('a comparison in the text format', () => {
  it('labels the systems with letters, with a table of values and ratios for each load', async () => {
    const query = ids.map((id) => `system=${id}`).join('&');
    const text = await textOf(`/v1/compare?${query}&format=text`);
    const lines = text.split('\n');
    expect(lines.slice(0, 4)).toEqual([
      'A: Llama 3.1 8B, FP8, H100 SXM5 80GB, vLLM 0.11.0',
      'B: Llama 3.1 8B, FP8, H100 SXM5 80GB, vLLM 0.10.2',
      'C: Llama 3.1 8B, FP8, H100 SXM5 80GB, vLLM 0.9.2',
      '',
    ]);
    expect(lines[4]).toBe('chatbot-steady, 8 concurrent');
    expect(lines[5]?.trim().split(/ {2,}/)).toEqual(['Metric', 'A', 'B', 'C']);
    const row = lines.find((line) => line.startsWith('output_tok_s '));
    expect(row).toMatch(
      /^output_tok_s +1,240(\.\d+)? tok\/s +1,180 tok\/s \(0\.95\d*x\) +900(\.0+)? tok\/s \(0\.72\d*x\*\)$/,
    );
    expect(text).toContain('* The 95 % interval of the ratio excludes 1.\n');
    expect(lines.at(-2)).toBe(`Page: ${baseUrl}/compare?${query}`);
  });

  it('returns errors as text', async () => {
    const refused = await app.request('/v1/compare?system=sys_0&format=text');
    expect(refused.status).toBe(422);
    expect(await refused.text()).toMatch(/^Error: /);
  });
});

describe('lists in the text format', () => {
  const cellsOf = (line = '') => line.trim().split(/ {2,}/);

  it('lists results with their figures and URLs, and links the next page', async () => {
    const text = await textOf('/v1/results?scenario=chatbot&min_output_tok_s=1000&limit=2&format=text');
    const [header, first, second, blank, next = ''] = text.split('\n');
    expect(cellsOf(header)).toEqual(['System', 'Scenario', 'Load', 'Figures', 'Findings', 'Trust', 'Submission']);
    for (const line of [first, second]) {
      const [system, scenario, load, figures, findings, trust, submission] = cellsOf(line);
      expect([scenario, load, trust]).toEqual(['chatbot', '8 concurrent', 'self_reported']);
      expect(system).toMatch(/^Llama 3\.1 8B, FP8, H100 SXM5 80GB, vLLM 0\.1/);
      expect(figures).toMatch(/^output_tok_s 1,[12]\d\d tok\/s, output_tok_s_per_gpu /);
      expect(findings).toMatch(/^\d+$/);
      expect(submission).toMatch(/^sub_/);
    }
    expect(blank).toBe('');
    const path = /^Next: http:\/\/inferboard\.test(\S+)$/.exec(next)?.[1] ?? expect.fail(text);
    expect((await textOf(path)).split('\n')[1]).toContain('Llama 3.1 8B');
  });

  it('lists systems with their pages and number of points', async () => {
    const lines = (await textOf('/v1/systems?q=llama+vllm&format=text')).trimEnd().split('\n');
    expect(cellsOf(lines[0])).toEqual(['System', 'Points', 'Page']);
    expect(lines).toHaveLength(4);
    const pages = lines.slice(1).map((line) => cellsOf(line)[2]);
    expect(pages.toSorted()).toEqual(ids.map((id) => `${baseUrl}/systems/${id}`).toSorted());
  });

  it.each(['results', 'systems'])('states that no %s match the filters, and returns errors as text', async (list) => {
    expect(await textOf(`/v1/${list}?min_output_tok_s=99999&format=text`)).toBe('No stored result matches.\n');
    const refused = await app.request(`/v1/${list}?gpu=h1000&format=text`);
    expect([refused.status, (await refused.text()).slice(0, 7)]).toEqual([422, 'Error: ']);
  });
});

describe('charts in the text format', () => {
  it('a matrix has a line for each row and a column for each column', async () => {
    const text = await textOf('/v1/matrix?rows=engine&columns=gpu&metric=output_tok_s&scenario=chatbot&format=text');
    const [title, , header = '', row = ''] = text.split('\n');
    expect(title).toBe('output_tok_s in chatbot-steady');
    expect(header.trim().split(/ {2,}/)).toEqual(['engine', expect.stringContaining('H100')]);
    expect(row).toMatch(/^vLLM +1,240(\.\d+)? tok\/s$/);
    expect(text).toContain(`Page: ${baseUrl}/matrix?rows=engine&columns=gpu&metric=output_tok_s&scenario=chatbot\n`);
  });

  it('points of two metrics have a mark if they are on the frontier', async () => {
    const query = 'x=ttft_ms_mean&y=output_tok_s&scenario=chatbot';
    const { data } = await app.get<{ data: { on_frontier: boolean }[] }>(`/v1/pareto?${query}`);
    const lines = (await textOf(`/v1/pareto?${query}&format=text`)).split('\n');
    expect(lines[0]).toBe('output_tok_s (higher is better) over ttft_ms_mean (lower is better) in chatbot-steady');
    const points = lines.filter((line) => line.includes('8 concurrent'));
    expect(points.map((line) => / \* /.test(line))).toEqual(data.map(({ on_frontier: isOn }) => isOn));
    expect(lines.at(-2)).toBe(`Page: ${baseUrl}/explore?${query}`);
  });

  it('a history has a table for each load, with the interval of each version', async () => {
    const text = await textOf(`/v1/history?system=${ids[0]}&metric=output_tok_s&format=text`);
    const lines = text.split('\n');
    expect(lines[0]).toMatch(/^output_tok_s by version: Llama 3\.1 8B, FP8, H100 SXM5 80GB, vLLM/);
    expect(lines[2]).toBe('chatbot, 8 concurrent');
    expect(lines[3]?.trim().split(/ {2,}/)).toEqual(['Version', 'Mean', '95 % interval', 'n', 'Date']);
    expect(lines.slice(4, 7).map((line) => line.split(' ')[0])).toEqual(['0.9.2', '0.10.2', '0.11.0']);
    expect(lines[6]).toMatch(
      /1,240(\.\d+)? tok\/s +1,2\d\d(\.\d+)? tok\/s to 1,2\d\d(\.\d+)? tok\/s +4 +\d{4}-\d\d-\d\d$/,
    );
    expect(text).toContain(`Page: ${baseUrl}/history?system=${ids[0]}&metric=output_tok_s\n`);
  });

  it.each(['matrix', 'pareto', 'history'])('%s returns errors as text', async (name) => {
    const refused = await app.request(`/v1/${name}?gpu=h1000&format=text`);
    expect([refused.status, (await refused.text()).slice(0, 7)]).toEqual([422, 'Error: ']);
  });
});

describe('a text table', () => {
  it('aligns text to the left and numbers to the right, without empty columns or line breaks', () => {
    const rows = [
      { name: 'größer\nals', value: '1' },
      { name: 'a', value: '1,000' },
    ];
    const table = textTable(rows, [
      { title: 'Name', of: ({ name }) => name },
      { title: 'Nothing', of: () => '' },
      { title: 'Value', isNumber: true, of: ({ value }) => value },
    ]);
    expect(table).toBe('Name        Value\ngrößer als      1\na           1,000\n');
  });
});
