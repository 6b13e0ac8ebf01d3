import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import openapiTS, { astToString } from 'openapi-typescript';
import { generate } from 'orval';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createApp } from '../app.ts';
import { adminKey, useTestApp } from '../testing/index.ts';
import { serve } from '../testing/serve.ts';

// Generates clients with other tools from the committed document, type-checks programs that use them, and runs these against a
// service. No generated file is edited.

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const document = new URL('../../openapi.json', import.meta.url);
const app = useTestApp({ sampleData: true });
const run = promisify(execFile);
let folder: string;
let service: Awaited<ReturnType<typeof serve>>;

/** A program prints one line of JSON: what it read. */
const programs = {
  'openapi-fetch': `
import createClient from 'openapi-fetch';
import type { paths } from './schema.ts';

const [url, key] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl: url, headers: { authorization: \`Bearer \${key}\` } });
const board = await client.GET('/v1/leaderboard', {
  params: { query: { model: ['llama-2-7b', 'gpt-oss-120b'], rank_by: 'decode_tok_s', min_decode_tok_s: 1, limit: 2 } },
});
const missing = await client.GET('/v1/systems/{id}', { params: { path: { id: 'sys_0' } } });
const refused = await client.POST('/v1/submissions', {
  params: { query: { dry_run: 'true' } },
  body: 'not the output of any tool',
  bodySerializer: (body) => body,
});
// Responses are text with format=text.
if (board.data === undefined || typeof board.data === 'string') throw new Error('no board');
if (missing.error === undefined || refused.error === undefined || typeof refused.error === 'string')
  throw new Error('no refusal');
const found = { models: board.data.data.map(({ system }) => system.model.id), metric: board.data.rank_by };
console.log(JSON.stringify({ ...found, missing: missing.error.code, refused: refused.error.code }));
`,
  orval: `
import { createSubmission, getLeaderboard, getSystem } from './orval.ts';

const [, key] = process.argv.slice(2);
const board = await getLeaderboard({ model: ['llama-2-7b', 'gpt-oss-120b'], rank_by: 'decode_tok_s', min_decode_tok_s: 1, limit: 2 });
const found =
  board.status === 200 && typeof board.data !== 'string'
    ? { models: board.data.data.map(({ system }) => system.model.id), metric: board.data.rank_by }
    : {};
const missing = await getSystem('sys_0');
const refused = await createSubmission(
  new Blob(['not the output of any tool']),
  { dry_run: 'true' },
  { headers: { authorization: \`Bearer \${key}\` } },
);
const codeOf = (answer: { status: number; data: unknown }) =>
  answer.status >= 400 ? (answer.data as { code: string }).code : undefined;
console.log(JSON.stringify({ ...found, missing: codeOf(missing), refused: codeOf(refused) }));
`,
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inferboard-clients-'));
  service = await serve(createApp(app.deps));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const schema = astToString(await openapiTS(document));
  await generate(
    {
      input: { target: fileURLToPath(document) },
      output: { target: join(folder, 'orval.ts'), client: 'fetch', baseUrl: service.url },
    },
    folder,
  );
  const files = {
    'package.json': JSON.stringify({ type: 'module' }),
    'schema.ts': schema,
    'tsconfig.json': JSON.stringify({
      compilerOptions: {
        target: 'es2023',
        module: 'nodenext',
        lib: ['es2023', 'dom', 'dom.iterable'],
        types: ['node'],
        strict: true,
        noEmit: true,
        allowImportingTsExtensions: true,
      },
      include: ['*.ts'],
    }),
    ...Object.fromEntries(Object.entries(programs).map(([name, text]) => [`use-${name}.ts`, text])),
  };
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(folder, name), text)));
});
afterAll(async () => {
  await service?.close();
  await rm(folder, { recursive: true, force: true });
});

it('type-checks the output of openapi-typescript and orval', async () => {
  const { stdout } = await run(
    process.execPath,
    [join(root, 'node_modules/@typescript/native/bin/tsc'), '-p', folder],
    {
      maxBuffer: 64 * 1024 * 1024,
    },
  ).catch((error: { stdout: string }) => error);
  expect(stdout).toBe('');
});

it.each(['openapi-fetch', 'orval'])('serves a program that uses %s', async (name) => {
  const { stdout } = await run(process.execPath, [join(folder, `use-${name}.ts`), service.url, adminKey]);
  const { models, ...others } = JSON.parse(stdout) as { models: string[] };
  expect(others).toEqual({ metric: 'decode_tok_s', missing: 'not_found', refused: 'tool_unrecognised' });
  expect(models).toHaveLength(2);
  expect(['llama-2-7b', 'gpt-oss-120b']).toEqual(expect.arrayContaining(models));
});
