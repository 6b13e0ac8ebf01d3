import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createTestDatabase } from '@inferboard/db/testing/index';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rederiveStored } from '../commands/rederive-stored.ts';
import { builtCommand } from '../testing/built-command.ts';
import { adminKey, useTestApp } from '../testing/index.ts';
import { readFolder } from './folder-manifest.ts';
import { noParameters } from './import-item.ts';
import { readInferencexFile } from './inferencex-file.ts';
import { readMlperfCheckout } from './mlperf-checkout.ts';
import { printImport } from './print-import.ts';
import { runImport } from './run-import.ts';

const run = promisify(execFile);
const app = useTestApp();
const fixture = (name: string) => new URL(`../../../../packages/core/fixtures/${name}`, import.meta.url);

interface Entry {
  path: string;
  row: Record<string, unknown>;
  log: string;
}

let place: string;
let entries: Entry[];

async function put(path: string, text: string): Promise<void> {
  const file = join(place, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'inferboard-import-'));
  const text = await readFile(fixture('mlperf-results/5.1-entries.jsonl'), 'utf8');
  entries = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Entry);
});
afterAll(() => rm(place, { recursive: true, force: true }));

interface Stored {
  origin: string;
  trust: string;
  account: string;
  source: Record<string, string | null>;
  output_tok_s: number | null;
  e2e_ms_p90: number | null;
  log: string;
}

/** The stored results of an account, in order. */
const stored = async (account: string) =>
  (await app.deps.database.sql`
    select r.origin, r.trust, a.name as account, r.source, r.output_tok_s, r.e2e_ms_p90
    from results r join accounts a on a.id = r.account_id
    where a.name = ${account} order by r.id`) as unknown as Stored[];

/** The value in a log, found by its label and without our parser. */
function loggedRate(log: string): number | null {
  const found = /^(?:Completed tokens|Tokens) per second *: ([\d.]+)/m.exec(log)?.[1];
  return found === undefined ? null : Number(found);
}

describe('a checkout of MLPerf results', () => {
  const checkout = async (rows: unknown) => {
    for (const { path, log } of entries) await put(`inference_results_v5.1/${path}`, log);
    await put('inference_results_v5.1/summary_results.json', JSON.stringify(rows));
    return readMlperfCheckout(join(place, 'inference_results_v5.1'));
  };

  it('is imported with every figure of its logs, resumes after an interruption, and imports nothing twice', async () => {
    const publication = await checkout(entries.map(({ row }) => row));
    expect(publication.refused).toEqual([]);
    const broken = { ...publication, items: publication.items.slice(0, 3) };
    expect((await runImport(broken, app.deps)).map(({ outcome }) => outcome)).toEqual(Array(3).fill('stored'));

    const seen: number[] = [];
    const whole = await runImport(publication, app.deps, (done) => seen.push(done));
    expect(seen).toEqual(entries.map((_, index) => index + 1));
    expect(whole.filter(({ outcome }) => outcome === 'known')).toHaveLength(3);
    expect(whole.filter(({ outcome }) => outcome === 'stored')).toHaveLength(entries.length - 3);
    expect((await runImport(publication, app.deps)).every(({ outcome }) => outcome === 'known')).toBe(true);

    const rows = await stored('import-mlperf');
    expect(rows).toHaveLength(entries.length);
    expect(
      rows.every(({ origin, trust, account }) => `${origin} ${trust} ${account}` === 'imported imported import-mlperf'),
    ).toBe(true);
    const rates = entries.map(({ log }) => loggedRate(log));
    expect(rows.map((row) => row.output_tok_s).toSorted()).toEqual(rates.toSorted());
    expect(rows.map(({ source }) => source.url).toSorted()).toEqual(entries.map(({ row }) => row.Details).toSorted());
  });

  it('reports in a dry run what it would store and omit, and stores nothing', async () => {
    const wrong = entries.map(({ row }, index) =>
      index === 0 ? { ...row, Model: 'resnet', UsedModel: row.UsedModel } : row,
    );
    const publication = await checkout(wrong.slice(0, -1));
    const imported = await runImport({ ...publication, account: 'import-nothing' }, null);
    const lines: string[] = [];
    printImport(publication, imported, (line) => lines.push(line));
    expect(lines).toContain('rejected: The benchmark "resnet" is not a known language model benchmark.');
    expect(lines).toContain('rejected: It lacks a line of the summary.');
    expect(lines).toContain(`would be stored: ${entries.length - 2} files, ${entries.length - 2} results`);
    expect(await app.deps.database.sql`select from accounts where name = 'import-nothing'`).toHaveLength(0);
  });

  it('without a summary is read from the descriptions of its systems', async () => {
    const [entry] = entries;
    if (entry === undefined) throw new Error('no entry');
    const { row, path, log } = entry;
    await put(`plain/${path}`, log);
    const platform = `plain/closed/${row.Submitter}/systems/${row.Platform}.json`;
    const described = {
      ...{ submitter: row.Submitter, system_name: row.System, status: 'available', number_of_nodes: '1' },
      ...{ accelerator_model_name: row.Accelerator, accelerators_per_node: '8', framework: row.Software },
    };
    await put(platform, JSON.stringify(described));
    await put(`plain/${dirname(dirname(dirname(path)))}/user.json`, JSON.stringify({ weight_data_types: 'fp8' }));
    const publication = { ...(await readMlperfCheckout(join(place, 'plain'))), account: 'import-plain' };
    const imported = await runImport(publication, app.deps);
    expect(imported).toEqual([expect.objectContaining({ outcome: 'stored', held: 0 })]);
    expect(await stored('import-plain')).toMatchObject([
      { output_tok_s: loggedRate(log), source: { publisher: 'MLCommons' } },
    ]);
  });
});

it('imports rows of InferenceX one by one, and only the new rows of a later file', async () => {
  const rows = JSON.parse(await readFile(fixture('inferencex-api/2026-rows.json'), 'utf8')) as { run_url: string }[];
  await put('first.json', JSON.stringify(rows.slice(0, 5)));
  await put('later.json', JSON.stringify(rows));
  await runImport(await readInferencexFile(join(place, 'first.json')), app.deps);
  const imported = await runImport(await readInferencexFile(join(place, 'later.json')), app.deps);
  expect(imported.map(({ outcome }) => outcome)).toEqual([
    ...Array(5).fill('known'),
    ...Array(rows.length - 5).fill('stored'),
  ]);
  const found = await stored('import-inferencex');
  expect(found.map(({ source }) => source.url).toSorted()).toEqual(rows.map((row) => row.run_url).toSorted());
  expect(new Set(found.map(({ account }) => account))).toEqual(new Set(['import-inferencex']));
});

describe('a folder with a manifest', () => {
  const log = `| model | size | params | backend | ngl | test | t/s |
| --- | ---: | ---: | --- | --: | --: | ---: |
| llama 7B Q4_0 | 3.56 GiB | 6.74 B | ROCm | 99 | tg128 | 40.52 ± 0.31 |
`;
  const manifest = `# what the files do not say
path,model,gpu,feature.build,source_publisher,source_title,source_url,skip
**/{model}__{build}.log,{model},Strix Halo,{build},somebody,"measurements, many",https://example.org/{path},
**/*__broken.log,,,,,,,the card was defect
`;

  it('reads the facts in its paths, and creates a separate system for each build', async () => {
    await put('folder/a/llama-2-7b.Q4_0__rocm6.log', log);
    await put('folder/a/llama-2-7b.Q4_0__rocm7.log', log.replace('40.52', '41.98'));
    await put('folder/a/llama-2-7b.Q4_0__broken.log', log);
    await put('folder/readme.md', 'nothing');
    await put('manifest.csv', manifest);
    const publication = await readFolder(join(place, 'folder'), join(place, 'manifest.csv'), 'import-somebody');
    expect(publication.refused).toEqual([
      { name: 'a/llama-2-7b.Q4_0__broken.log', reason: 'The manifest skips it: the card was defect' },
      { name: 'readme.md', reason: 'No path in the manifest matches it.' },
    ]);
    const imported = await runImport(publication, app.deps);
    expect(imported.map(({ outcome, results }) => [outcome, results])).toEqual([
      ['stored', 1],
      ['stored', 1],
    ]);
    const found = (await app.deps.database.sql`
      select s.features, s.model_id, r.source from results r join points p on p.id = r.point_id
      join systems s on s.id = p.system_id
      join accounts a on a.id = r.account_id where a.name = 'import-somebody' order by s.features ->> 'build'`) as unknown as object[];
    expect(found).toMatchObject([
      {
        ...{ model_id: 'llama-2-7b', features: { build: 'rocm6' } },
        source: {
          publisher: 'somebody',
          title: 'measurements, many',
          url: 'https://example.org/a/llama-2-7b.Q4_0__rocm6.log',
        },
      },
      { features: { build: 'rocm7' } },
    ]);
  });

  it.each([
    ['path,modell\n*,x\n', 'has the unknown column "modell"'],
    ['path,model\n*\n', 'Line 2 of'],
    ['', 'is empty'],
  ])('rejects %j with its location', async (text, message) => {
    await put('wrong.csv', text);
    await expect(readFolder(place, join(place, 'wrong.csv'), 'import-x')).rejects.toThrow(message);
  });
});

it('treats an upload that states "published" as an upload', async () => {
  const [entry] = entries;
  const response = await app.request('/v1/submissions', {
    method: 'POST',
    headers: { authorization: `Bearer ${adminKey}` },
    body: JSON.stringify(entry),
  });
  expect(response.status).toBe(201);
  const { source, results } = (await response.json()) as { source: object; results: object[] };
  expect(source).toMatchObject({ publisher: 'MLCommons' });
  expect(results).toMatchObject([{ origin: 'submitted', trust: 'self_reported', source: { publisher: 'MLCommons' } }]);
});

it.each(['source_publisher=MLCommons', 'features={}'])('rejects %s in a request', async (query) => {
  const response = await app.request(`/v1/submissions?${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminKey}` },
    body: JSON.stringify(entries[0]),
  });
  expect(response.status).toBe(422);
});

describe('the command', () => {
  const script = builtCommand('import');
  const commandOn = (databaseUrl: string, ...more: string[]) =>
    run(process.execPath, [script, ...more], {
      env: { PATH: process.env.PATH ?? '', DATABASE_URL: databaseUrl },
    }).then(
      ({ stdout }) => ({ code: 0, text: stdout }),
      (error: { code: number; stderr: string }) => ({ code: error.code, text: error.stderr }),
    );
  const command = (...more: string[]) => commandOn(app.databaseUrl, ...more);

  it('names the missing step if the service never ran with the database', async () => {
    const empty = await createTestDatabase('template1');
    try {
      const file = fileURLToPath(fixture('inferencex-api/2026-rows.json'));
      expect(await commandOn(empty.url, 'inferencex', file)).toMatchObject({
        code: 1,
        text: expect.stringMatching(/^The database lacks \d+ migrations of this release\. Start the service once/),
      });
    } finally {
      await empty.drop();
    }
  });

  it('prints its usage', async () => {
    expect(await command('--help')).toMatchObject({ code: 0, text: expect.stringContaining('import -- mlperf DIR') });
  });

  it('imports while the service runs, and reports what is already stored', async () => {
    await put(
      'by-command/a/llama-2-7b.Q4_0.log',
      '| model | size | params | backend | ngl | test | t/s |\n| --- | ---: | ---: | --- | --: | --: | ---: |\n| llama 7B Q4_0 | 3.56 GiB | 6.74 B | ROCm | 99 | tg128 | 44.52 ± 0.31 |\n',
    );
    await put(
      'by-command.csv',
      'path,model,gpu,source_publisher,source_title\n**/{model}.log,{model},Strix Halo,somebody,logs\n',
    );
    const given = [
      'folder',
      join(place, 'by-command'),
      '--manifest',
      join(place, 'by-command.csv'),
      '--account',
      'import-by-command',
    ];
    expect(await command(...given, '--dry-run')).toMatchObject({
      code: 0,
      text: expect.stringContaining('would be stored: 1 file, 1 result'),
    });
    expect(await stored('import-by-command')).toEqual([]);
    expect(await command(...given)).toMatchObject({
      code: 0,
      text: expect.stringContaining('stored: 1 file, 1 result'),
    });
    expect(await command(...given)).toMatchObject({
      code: 0,
      text: expect.stringContaining('already stored: 1 file, 1 result'),
    });
    expect(await stored('import-by-command')).toMatchObject([
      { origin: 'imported', source: { publisher: 'somebody' } },
    ]);
  });

  it.each([
    [['mlperf'], 'State the kind of import and its path.'],
    [['folder', '.'], '--manifest is required for a folder, and only for a folder.'],
    [['mlperf', '/nonexistent'], '/nonexistent cannot be read'],
    [['papers', '.'], 'Unknown kind of import "papers".'],
    [['folder', '.', '--manifest', 'x.csv', '--account', 'admin'], '--account must be import-'],
  ])('rejects %j with the reason', async (given, reason) => {
    expect(await command(...given)).toMatchObject({ code: 1, text: expect.stringContaining(reason) });
  });
});

it('imported results stay imported after they are re-derived', async () => {
  const [entry] = entries;
  if (entry === undefined) throw new Error('no entry');
  const item = { name: 'one', bytes: new TextEncoder().encode(JSON.stringify(entry)), parameters: noParameters };
  await runImport({ account: 'import-again', items: [item], refused: [] }, app.deps);
  const wanted = { apply: true, tool: null, after: '', all: false, release: '0.1.0', artifacts: app.deps.artifacts };
  const lines: string[] = [];
  await rederiveStored(app.databaseUrl, wanted, (line) => lines.push(line));
  expect(lines.join('\n')).toContain('No rank changes.');
  expect(await stored('import-again')).toMatchObject([
    { origin: 'imported', trust: 'imported', source: { publisher: 'MLCommons' } },
  ]);
});
