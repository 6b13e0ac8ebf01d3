import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
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
  it('ends with a line naming the URL, serves site and API there, and Ctrl-C leaves nothing running', async () => {
    const place = await createDataDir();
    places.push(place);
    const port = await freePort();
    const { DATABASE_URL: _, ADMIN_KEY: __, ...inherited } = process.env;
    // A group of its own, as a terminal gives it: Ctrl-C reaches npm and everything below it at once.
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
      lines.filter((line) => line.startsWith('Admin key, until one is used printed at each start: ib_')),
    ).toHaveLength(1);

    const page = await fetch(`http://localhost:${port}/`);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('w8a8_sparse_smooth_gptq');
    expect((await fetch(`http://localhost:${port}/readyz`)).status).toBe(200);

    const dataDir = place.env.DATA_DIR ?? '';
    const postmaster = Number((await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0]);
    expect(isAlive(postmaster)).toBe(true);
    process.kill(-(npm.pid ?? 0), 'SIGINT');
    await exited;
    await expect.poll(() => isAlive(postmaster)).toBe(false);
  });
});
