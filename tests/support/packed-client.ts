import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const source = fileURLToPath(new URL('../../packages/cli', import.meta.url));

export interface Ended {
  code: number | null;
  output: string;
  errors: string;
}

/** The client as users install it: packed, and unpacked without other files. */
export interface PackedClient {
  /** The file that `npx` runs. */
  tarball: string;
  /** An empty working directory. */
  folder: string;
  main: string;
  /** Runs it with a different home and only these settings. */
  run(args: readonly string[], options?: RunOptions): Promise<Ended>;
  remove(): Promise<void>;
}

interface RunOptions {
  env?: Record<string, string>;
  input?: string;
  /** Path of the Node binary; by default this Node. */
  node?: string;
}

/** Runs a program until it exits. */
export async function runToEnd(
  command: string,
  args: readonly string[],
  { cwd, env, input = '' }: { cwd: string; env: Record<string, string>; input?: string },
): Promise<Ended> {
  const child = spawn(command, args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] });
  const texts = { output: '', errors: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    texts.output += chunk;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    texts.errors += chunk;
  });
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { code, ...texts };
}

/** Packs the client, which `tests/setup/build.ts` has built: a second build would remove files that other tests run. */
export async function packClient(): Promise<PackedClient> {
  const place = await mkdtemp(join(tmpdir(), 'inferboard-client-'));
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', place], { cwd: source });
  const [file = ''] = await readdir(place);
  const tarball = join(place, file);
  await run('tar', ['-xzf', tarball, '-C', place]);
  const folder = await mkdtemp(join(place, 'empty-'));
  const main = join(place, 'package/dist/main.js');
  return {
    tarball,
    folder,
    main,
    run: (args, { env = {}, input = '', node = process.execPath } = {}) =>
      runToEnd(node, [main, ...args], {
        cwd: folder,
        env: { PATH: process.env.PATH ?? '', HOME: folder, ...env },
        input,
      }),
    remove: () => rm(place, { recursive: true, force: true }),
  };
}
