import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type FakeServer, startFakeServer } from '../../packages/loadgen/src/fake-server/fake-server.ts';
import type { FakeOptions } from '../../packages/loadgen/src/fake-server/options.ts';

const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
const inherited = { PATH, ...(NODE_COMPILE_CACHE !== '' && { NODE_COMPILE_CACHE }) };
/** The words that start `measure`: Node and the built client. */
export const measureWords: readonly [string, ...string[]] = [
  process.execPath,
  fileURLToPath(new URL('../../packages/cli/dist/main.js', import.meta.url)),
  'measure',
];

/** How the command ended, and what it wrote. */
export interface Ended {
  code: number | null;
  output: string;
  errors: string;
}

/** A command that runs. */
export interface Running {
  readonly pid: number;
  readonly errors: string;
  readonly output: string;
  kill(signal: NodeJS.Signals): void;
  /** Closes the pipes of its output, so that its writes fail. */
  closeOutput(): void;
  ended: Promise<Ended>;
}

/** Runs `measure` in a separate process and folder. */
export interface MeasureCommand {
  folder: string;
  start(args: readonly string[], env?: Record<string, string>): Running;
  run(args: readonly string[], env?: Record<string, string>): Promise<Ended>;
  /** A fake server, and its address. */
  serve(options?: Partial<FakeOptions>): Promise<FakeServer & { url: string }>;
  dispose(): Promise<void>;
}

/** Starts `measure` in a process, with only these environment variables, and without the warm-up of its code. */
function startMeasure(folder: string, args: readonly string[], env: Record<string, string>): Running {
  const [node, ...words] = measureWords;
  const child = spawn(node, [...words, ...args], {
    cwd: folder,
    env: { ...inherited, LOADGEN_WARM_UP: 'off', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const texts = { output: '', errors: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    texts.output += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    texts.errors += chunk.toString();
  });
  const ended = new Promise<Ended>((resolve) => child.once('close', (code) => resolve({ code, ...texts })));
  return {
    pid: child.pid ?? 0,
    get errors() {
      return texts.errors;
    },
    get output() {
      return texts.output;
    },
    kill: (signal) => void child.kill(signal),
    closeOutput: () => {
      child.stdout.destroy();
      child.stderr.destroy();
    },
    ended,
  };
}

/** Runs `measure` in a folder that is removed afterwards; `during` may signal it. */
export async function runMeasure(
  args: readonly string[],
  env: Record<string, string> = {},
  during: (kill: Running['kill']) => Promise<void> = async () => {},
): Promise<Ended> {
  const folder = await mkdtemp(join(tmpdir(), 'inferboard-measure-'));
  try {
    const { kill, ended } = startMeasure(folder, args, env);
    await during(kill);
    return await ended;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export async function createMeasureCommand(): Promise<MeasureCommand> {
  const folder = await mkdtemp(join(tmpdir(), 'inferboard-measure-'));
  const servers: FakeServer[] = [];
  const start: MeasureCommand['start'] = (args, env = {}) => startMeasure(folder, args, env);
  return {
    folder,
    start,
    run: (args, env) => start(args, env).ended,
    serve: async (options = {}) => {
      const server = await startFakeServer({ ttftMs: 20, itlMs: 2, ...options });
      servers.push(server);
      return { ...server, url: `http://127.0.0.1:${server.port}` };
    },
    dispose: async () => {
      await Promise.all(servers.map((server) => server.close()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}
