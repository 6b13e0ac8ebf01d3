import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { findGpu, findGpuFamily, findModel, findQuantization } from '@inferboard/core/catalogue/index';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { readArtifactBytes } from '../submissions/actions/unpack-artifact.ts';
import { useTestApp } from '../testing/index.ts';
import { loadPublicPack, loadSampleParts } from './sample.ts';

const pack = new URL('../../../../packages/db/sample/public/', import.meta.url);
const published = new URL('../../../../../shared/public-results/', import.meta.url);

interface Figures {
  system: { gpu_count: number; features?: Record<string, unknown> };
  scenario: { name?: string; dataset?: string };
  results: [
    {
      metrics: Record<string, number>;
      repeats?: { sd: Record<string, number> };
      load: { mode: string; level: number };
      source: { url: string; entry: string; title: string };
    },
  ];
}

const bytesOf = (name: string) => readFileSync(new URL(`${name}.jsonl.gz`, pack));
const linesOf = (name: string) =>
  gunzipSync(bytesOf(name))
    .toString('utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Figures);
const names = ['mlperf', 'inferencex', 'llama-bench'] as const;
const files = readdirSync(pack).filter((file) => file.endsWith('.gz'));

describe.each([
  ['mlperf', 416],
  ['inferencex', 937],
  ['llama-bench', 764],
  ['accelmark', 359],
  ['cloudrift', 162],
  ['gpu-llama-bench', 207],
  ['gpustack', 189],
  ['inferencex-gpt-oss', 236],
  ['sglang-cookbook', 75],
  ['vllm-mlx', 5],
  ['vllm-recipes', 1],
])('%s', (name, count) => {
  it('has no findings about model, GPU or quantization, and no figure twice', async () => {
    const { results } = await readArtifactBytes(bytesOf(name), {} as never, { isImported: true });
    expect(results).toHaveLength(count);
    const odd = results.filter(
      ({ status, origin, trust, source, system: { model, gpu, quantization, gpuCount } }) =>
        `${status} ${origin} ${trust}` !== 'accepted imported imported' ||
        findModel(model.id ?? '') === null ||
        // Some publications name only a family: "H200", "A100".
        (findGpu(gpu.id ?? '') === null && findGpuFamily(gpu.family ?? '') === null) ||
        findQuantization(quantization.id ?? '') === null ||
        gpuCount === null ||
        !source?.publisher ||
        !/^https:\/\//.test(source.url ?? '') ||
        !source.entry,
    );
    expect(odd).toEqual([]);
    const points = results.map(({ system, scenario, load }) => JSON.stringify([system, scenario, load]));
    expect(new Set(points).size).toBe(count);
  });
});

it('is a small file', () => {
  expect(files.reduce((sum, file) => sum + readFileSync(new URL(file, pack)).length, 0)).toBeLessThan(3e6);
});

/** Moves the decimal point of printed digits, which is exact; arithmetic would round. */
function shifted(text: string, places: number): number {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  return Number(`${mantissa}e${Number(exponent) + places}`);
}

const read = (name: string) => readFileSync(new URL(name, published), 'utf8');
const readLines = (name: string) =>
  read(name)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

interface Row {
  isl: number;
  osl: number;
  conc: number;
  date: string;
  run_url: string;
  disagg: boolean;
  decode_tp: number;
  decode_num_workers: number;
  num_prefill_gpu: number;
  num_decode_gpu: number;
  metrics: Record<string, number>;
}

/** A required value; NaN if it is missing, which equals nothing. */
const figure = (figures: Record<string, number>, name: string) => figures[name] ?? Number.NaN;

/** Compares each value of an InferenceX row with the pack; null if the row belongs to another line. */
function expectRow(line: Figures, rows: readonly Row[]) {
  const [{ metrics, load, source }] = line.results;
  const fitting = rows.filter(
    (row) =>
      row.run_url === source.url &&
      source.entry.endsWith(row.date) &&
      row.conc === load.level &&
      `${row.isl / 1024}k-${row.osl / 1024}k` === line.scenario.name &&
      Math.abs(figure(row.metrics, 'median_tpot') * 1000 - figure(metrics, 'tpot_ms_p50')) < 1e-9,
  );
  expect(fitting.length).toBeGreaterThan(0);
  const [row] = fitting as [Row];
  expect(load).toEqual({ mode: 'concurrency', level: row.conc });
  const words = { mean: 'mean', median: 'p50', p90: 'p90', p99: 'p99', std: 'sd' };
  const bases = { ttft: 'ttft_ms', tpot: 'tpot_ms', itl: 'itl_ms', e2el: 'e2e_ms' };
  for (const [word, statistic] of Object.entries(words))
    for (const [family, base] of Object.entries(bases)) {
      const seconds = row.metrics[`${word}_${family}`];
      const stated = metrics[`${base}_${statistic}`];
      if (seconds === undefined) expect(stated).toBeUndefined();
      else expect(stated).toBe(shifted(String(seconds), 3));
    }
  const sides = row.disagg && row.decode_num_workers > 0;
  const gpus = sides ? row.num_prefill_gpu + row.num_decode_gpu : row.disagg ? row.num_decode_gpu : row.decode_tp;
  expect(line.system.gpu_count).toBe(gpus);
  expect(metrics.total_tok_s).toBe(figure(row.metrics, 'tput_per_gpu') * gpus);
  if (row.metrics.output_tput_per_gpu !== undefined && sides) {
    expect(metrics.output_tok_s).toBe(row.metrics.output_tput_per_gpu * row.num_decode_gpu);
    expect(metrics.input_tok_s).toBe(figure(row.metrics, 'input_tput_per_gpu') * row.num_prefill_gpu);
  } else if (row.metrics.output_tput_per_gpu !== undefined && !row.disagg)
    expect(metrics.output_tok_s).toBe(row.metrics.output_tput_per_gpu * gpus);
  if (row.disagg && row.metrics.output_tput_per_gpu !== undefined)
    expect((metrics.output_tok_s ?? 0) + (metrics.input_tok_s ?? 0)).toBeCloseTo(metrics.total_tok_s ?? 0, 3);
}

interface Entry {
  path: string;
  row: {
    ID: string;
    Submitter: string;
    Scenario: string;
    Model: string;
    Nodes: number;
    'a#': number | '';
    Details: string;
  };
  log: string;
}

/** Values of a LoadGen summary by label, with printed nanoseconds converted by moving the point. */
function expectEntry(line: Figures, entries: readonly Entry[]) {
  const [{ metrics, source, load }] = line.results;
  const rate = (log: string) => /^(?:Completed tokens|Tokens) per second *: ([\d.]+)/m.exec(log)?.[1];
  const dataset = line.scenario.name ?? line.scenario.dataset ?? '';
  const fitting = entries.filter(
    ({ row, log }) =>
      source.entry === `${row.ID}, ${row.Submitter}` &&
      row.Details === source.url &&
      (rate(log) === undefined || Number(rate(log)) === metrics.output_tok_s) &&
      dataset.endsWith('-interactive') === (row.Scenario === 'Interactive') &&
      dataset.includes('-99.9') === row.Model.endsWith('-99.9') &&
      (load.mode === 'rate') === ['Server', 'Interactive'].includes(row.Scenario),
  );
  expect(fitting.length).toBeGreaterThan(0);
  const [{ row, log }] = fitting as [Entry];
  if (row['a#'] !== '' && !source.entry.includes('MangoBoost'))
    expect(line.system.gpu_count).toBe(row.Nodes * row['a#']);
  const labels = {
    e2e_ms: (word: string) => `${word} latency \\(ns\\)`,
    ttft_ms: (word: string) => `${word} first token latency \\(ns\\)`,
    tpot_ms: (word: string) => `${word} time to output token \\(ns\\)`,
  };
  const words = {
    min: 'Min',
    max: 'Max',
    mean: 'Mean',
    p50: '50.00 percentile',
    p90: '90.00 percentile',
    p99: '99.00 percentile',
  };
  for (const [base, label] of Object.entries(labels))
    for (const [statistic, word] of Object.entries(words)) {
      const printed = new RegExp(`^${label(word)} *: (\\d+)`, 'im').exec(log)?.[1];
      const stated = metrics[`${base}_${statistic}`];
      if (stated !== undefined) expect(stated).toBe(shifted(printed ?? 'absent', -6));
      else if (base !== 'e2e_ms') expect(Number(printed ?? 0)).toBe(0);
    }
}

function expectLog(line: Figures, logs: readonly { path: string; log: string }[]) {
  const [{ metrics, repeats, source }] = line.results;
  const found = logs.find(({ path }) => path === source.entry);
  expect(source.url.endsWith(`/d1a34bee/${source.entry}`)).toBe(true);
  const test = (line.scenario.name ?? '').replace('@d', ' @ d');
  const cells = (found?.log ?? '')
    .split('\n')
    .map((text) => text.split('|').map((cell) => cell.trim()))
    .find((row) => row.at(-3) === test);
  const [speed, sd] = (cells?.at(-2) ?? '').split(' ± ').map(Number);
  const name = test.startsWith('pp') ? 'prefill_tok_s' : 'decode_tok_s';
  expect(metrics[name]).toBe(speed);
  expect(repeats?.sd[name]).toBe(sd);
}

describe.skipIf(!existsSync(published))('compared with the publications', () => {
  test('two hundred rows have exactly the published figures', () => {
    const rows = ['benchmarks', 'benchmarks-history'].flatMap(
      (name) => JSON.parse(read(`inferencex/${name}.json`)) as Row[],
    );
    const entries = readLines('mlperf-v5.1.jsonl') as Entry[];
    const logs = readLines('llama-bench-strix-halo.jsonl') as { path: string; log: string }[];
    const all = names.flatMap((name) => linesOf(name).map((line) => ({ name, line })));
    fc.assert(
      fc.property(fc.constantFrom(...all), ({ name, line }) => {
        if (name === 'inferencex') expectRow(line, rows);
        else if (name === 'mlperf') expectEntry(line, entries);
        else expectLog(line, logs);
      }),
      { numRuns: 200 },
    );
  });
});

describe('the loaded public pack', () => {
  const app = useTestApp();
  const counted = async () =>
    (await app.deps.database.sql`
      select a.name, count(*)::int as results, count(distinct p.system_id)::int as systems
      from results r join accounts a on a.id = r.account_id join points p on p.id = r.point_id
      where r.status = 'accepted' and r.origin = 'imported' and r.trust = 'imported' group by 1 order by 1`) as unknown as object[];

  it('is stored once, as imported by operator accounts', async () => {
    await loadPublicPack(app.deps);
    await app.deps.database.sql`delete from settings where key = 'public_pack_loaded'`;
    await loadPublicPack(app.deps);
    expect(await counted()).toMatchObject([
      { name: 'import-accelmark', results: 359 },
      { name: 'import-cloudrift', results: 162 },
      { name: 'import-gpu-llama-bench', results: 207 },
      { name: 'import-gpustack', results: 189 },
      { name: 'import-inferencex', results: 937 },
      { name: 'import-inferencex-gpt-oss', results: 236 },
      { name: 'import-llama-bench', results: 764 },
      { name: 'import-mlperf', results: 416 },
      { name: 'import-sglang-cookbook', results: 75 },
      { name: 'import-vllm-mlx', results: 5 },
      { name: 'import-vllm-recipes', results: 1 },
    ]);
  });

  it('is on boards as imported, each system separately, with its source', async () => {
    const { data } = await app.get<{ data: { trust: string; source: { title: string; url: string } }[] }>(
      '/v1/leaderboard?workload=mlperf-llama2-70b-99.9-offline&rank_by=output_tok_s&limit=100&full=true',
    );
    expect(data).toHaveLength(47);
    for (const { trust, source } of data)
      expect({ trust, ...source }).toMatchObject({
        trust: 'imported',
        title: 'MLPerf Inference v5.1, Closed',
        url: expect.stringMatching(/^https:\/\/github\.com\/mlcommons\//),
      });
  });

  it('ranks entries of the open division on separate boards', async () => {
    const { data } = await app.get<{ data: { id: string; systems: number }[] }>('/v1/catalogue/workloads');
    const ofMlperf = data.filter(({ id }) => id.startsWith('mlperf-'));
    const open = ofMlperf.filter(({ id }) => /-open-\w+$/.test(id));
    expect(open.map(({ id, systems }) => [id, systems]).toSorted()).toEqual([
      ['mlperf-deepseek-r1-open-offline', 1],
      ['mlperf-llama2-70b-99.9-interactive-open-steady', 1],
      ['mlperf-llama2-70b-99.9-open-offline', 13],
      ['mlperf-llama2-70b-99.9-open-steady', 9],
      ['mlperf-llama2-70b-open-offline', 3],
      ['mlperf-llama3.1-405b-interactive-open-steady', 1],
      ['mlperf-llama3.1-405b-open-offline', 2],
      ['mlperf-llama3.1-8b-edge-open-offline', 1],
      ['mlperf-llama3.1-8b-edge-open-steady', 1],
    ]);
    const ofOpen = new Set(open.map(({ id }) => id));
    for (const { id } of ofMlperf) {
      const board = await app.get<{ data: { source: { title: string } }[] }>(
        `/v1/leaderboard?workload=${id}&limit=200&full=true`,
      );
      const titles = new Set(board.data.map(({ source }) => source.title));
      expect([...titles], id).toEqual([`MLPerf Inference v5.1, ${ofOpen.has(id) ? 'Open' : 'Closed'}`]);
    }
  });

  it('answers a question about Llama 2 70B offline without the open division', async () => {
    const q = 'fastest gpu for llama 2 70b offline';
    const { data } = await app.get<{ data: { rank: number | null; source: { title: string } }[] }>(
      `/v1/best?${new URLSearchParams({ q, full: 'true' })}`,
    );
    expect(data.length).toBeGreaterThan(5);
    for (const { source } of data) expect(source.title).toBe('MLPerf Inference v5.1, Closed');
  });

  it('separates Server and Interactive', async () => {
    const { data } = await app.get<{ data: { id: string; systems: number }[] }>('/v1/catalogue/workloads');
    const systems = new Map(data.map((workload) => [workload.id, workload.systems]));
    expect(systems.get('mlperf-llama2-70b-steady')).toBe(45);
    expect(systems.get('mlperf-llama2-70b-interactive-steady')).toBe(22);
    expect(systems.get('mlperf-llama2-70b-99.9-steady')).toBe(45);
    expect(systems.get('mlperf-llama2-70b-99.9-interactive-steady')).toBe(24);
  });

  it('is loaded into an installation with the sample only on request or if interrupted', async () => {
    const { sql } = app.deps.database;
    const isLoaded = async () =>
      (await sql`select from settings where key = 'public_pack_loaded' and value = 'true'`).length === 1;
    await sql`delete from settings where key = 'public_pack_loaded'`;
    await sql`insert into settings (key, value) values ('sample_data_loaded', 'true')`;
    await loadSampleParts(app.deps, []);
    await loadSampleParts(app.deps, ['seeds', 'public']);
    expect(await isLoaded()).toBe(false);
    await loadSampleParts(app.deps, ['public']);
    expect(await isLoaded()).toBe(true);
    await sql`update settings set value = 'false' where key = 'public_pack_loaded'`;
    await loadSampleParts(app.deps, ['seeds', 'public']);
    expect(await isLoaded()).toBe(true);
  });
});
