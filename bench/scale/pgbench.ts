import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sent } from './statements.ts';

/** The statements of one request as a script, its values as variables. */
function toScript(request: readonly Sent[], place: number): { script: string; variables: [string, string][] } {
  const variables: [string, string][] = [];
  const lines = request.map(({ text, values }, at) => {
    const filled = text.replace(/\$(\d+)/g, (_, number) => {
      const value = values[Number(number) - 1] ?? null;
      if (value === null) return 'null';
      const name = `v${place}_${at}_${number}`;
      if (!variables.some(([known]) => known === name)) variables.push([name, value]);
      return `:${name}`;
    });
    return `${filled.replace(/\s+/g, ' ').trim().replace(/;$/, '')};`;
  });
  return { script: `${lines.join('\n')}\n`, variables };
}

async function isThere(): Promise<boolean> {
  const child = spawn('pgbench', ['--version'], { stdio: 'ignore' });
  return new Promise((resolve) => {
    child.once('error', () => resolve(false));
    child.once('close', (code) => resolve(code === 0));
  });
}

async function runIn(folder: string, databaseUrl: string, requests: readonly (readonly Sent[])[], times: number) {
  const url = new URL(databaseUrl);
  const scripts = requests.map(toScript);
  const files = await Promise.all(
    scripts.map(async ({ script }, place) => {
      const path = join(folder, `request-${place}.sql`);
      await writeFile(path, script);
      return path;
    }),
  );
  const args = [
    ...['-h', url.hostname, '-p', url.port, '-U', url.username, '-n', '-M', 'prepared', '-c', '1'],
    ...['-t', String(times), '--random-seed=1', '--log', `--log-prefix=${join(folder, 'times')}`],
    ...scripts.flatMap(({ variables }) => variables.flatMap(([name, value]) => ['-D', `${name}=${value}`])),
    ...files.flatMap((file) => ['-f', file]),
    url.pathname.slice(1) || 'postgres',
  ];
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', PGPASSWORD: decodeURIComponent(url.password) };
  const child = spawn('pgbench', args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`pgbench: ${said.trim().split('\n').slice(-3).join(' ')}`);
  const logs = (await readdir(folder)).filter((name) => name.startsWith('times'));
  const lines = (await Promise.all(logs.map((name) => readFile(join(folder, name), 'utf8')))).join('').trim();
  // client, transaction, microseconds, ...
  return lines.split('\n').map((line) => Number(line.split(' ')[2]) / 1000);
}

/**
 * How long the database alone takes for requests, by pgbench with prepared statements over one connection: one of them at
 * a time, chosen by chance, `times` of them altogether. Milliseconds each; null where there is no pgbench.
 *
 * @throws Error with what pgbench said
 */
export async function timeBare(
  databaseUrl: string,
  requests: readonly (readonly Sent[])[],
  times: number,
): Promise<number[] | null> {
  if (!(await isThere())) return null;
  const folder = await mkdtemp(join(tmpdir(), 'inferboard-pgbench-'));
  try {
    return await runIn(folder, databaseUrl, requests, times);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
