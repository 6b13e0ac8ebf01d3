import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { nativeReport } from './support/hostile.ts';
import { runToEnd } from './support/packed-client.ts';
import { createDataDir, freePort, type ServerPlace } from './support/server.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const places: ServerPlace[] = [];
afterAll(async () => {
  for (const place of places) await place.remove();
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('npm start', () => {
  it('prints the URL, serves site and API there, accepts a result, and Ctrl-C stops every process', async () => {
    const place = await createDataDir();
    places.push(place);
    const dataDir = place.env.DATA_DIR ?? '';
    const port = await freePort();
    const { DATABASE_URL: _, ADMIN_KEY: __, ...inherited } = process.env;
    // A separate process group, as in a terminal: Ctrl-C signals npm and all its children at once.
    const npm = spawn('npm', ['start'], {
      cwd: root,
      env: { ...inherited, ...place.env, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    const exited = new Promise<number | null>((resolve) => npm.once('exit', resolve));
    const lines: string[] = [];
    await new Promise<void>((resolve, reject) => {
      createInterface({ input: npm.stdout }).on('line', (line) => {
        lines.push(line);
        if (line.includes('ready')) resolve();
      });
      npm.once('exit', (code) => reject(new Error(`npm start ended with ${code}:\n${lines.join('\n')}`)));
    });
    expect(lines.at(-1)).toBe(`Inferboard is ready: http://localhost:${port}`);
    expect(
      lines.filter((line) => line.startsWith('Admin key (printed at each start until one is used): ib_')),
    ).toHaveLength(1);

    const page = await fetch(`http://localhost:${port}/`);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('w8a8_sparse_smooth_gptq');
    expect((await fetch(`http://localhost:${port}/readyz`)).status).toBe(200);

    // The second command of the README, in the same checkout.
    const submitted = await runToEnd('npx', ['inferboard', 'submit', '-'], {
      cwd: root,
      env: { PATH: process.env.PATH ?? '', HOME: dataDir, DATA_DIR: dataDir },
      input: nativeReport(),
    });
    expect(submitted).toMatchObject({ code: 0, errors: '' });
    const link = submitted.output.trimEnd().split('\n').at(-1) ?? '';
    expect(link).toMatch(new RegExp(`http://localhost:${port}/submissions/sub_`));
    const report = await fetch(/http\S+$/.exec(link)?.[0] ?? '');
    expect(report.status).toBe(200);
    expect(await report.text()).toContain('admin');

    const postmaster = Number((await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0]);
    expect(isAlive(postmaster)).toBe(true);
    process.kill(-(npm.pid ?? 0), 'SIGINT');
    await exited;
    await expect.poll(() => isAlive(postmaster)).toBe(false);
  });
});
