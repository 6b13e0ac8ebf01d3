import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { makeTinyModel } from './tiny-model.ts';

/** Times of one request in the server's log, ms. */
export interface LoggedRequest {
  tokens: number;
  /** From the first token to the last. */
  generationMs: number;
}

export interface LlamaServer {
  port: number;
  /** Requests that ended since the last call, in the order in which they ended. */
  takeLog(): LoggedRequest[];
  close(): Promise<void>;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('there is no free port');
  return address.port;
}

const startMs = 30_000;
/** On one line with the name of the slot in newer releases, on a separate line before. */
const evalTime = /(?:\||^)\s+eval time =\s+([\d.]+) ms \/\s+(\d+) tokens/gm;

/**
 * Options that not every release has. The name of the one that leaves out the web page changed. Without a limit of 0,
 * the prompts of ended requests stay in memory, up to 8 GiB, and every request searches them: with thousands of small
 * ones the server slows by a third.
 */
async function releaseOptions(program: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)(program, ['--help']);
  const page = ['--no-ui', '--no-webui'].filter((option) => stdout.includes(option)).slice(0, 1);
  return [...page, ...(stdout.includes('--cache-ram') ? ['--cache-ram', '0'] : [])];
}

async function untilHealthy(port: number): Promise<void> {
  const deadline = performance.now() + startMs;
  while (performance.now() < deadline) {
    const answer = await fetch(`http://127.0.0.1:${port}/health`).catch(() => null);
    if (answer?.ok) return;
    await sleep(100);
  }
  throw new Error(`the server does not answer within ${startMs / 1000} s`);
}

/** Starts llama.cpp's server on the loopback address with a model of random weights, which it writes to `modelFile`. */
export async function startLlamaServer(program: string, modelFile: string, slots: number): Promise<LlamaServer> {
  await writeFile(modelFile, makeTinyModel(7));
  const port = await freePort();
  const place = ['--host', '127.0.0.1', '--port', String(port), '--model', modelFile];
  const size = ['--parallel', String(slots), '--ctx-size', String(slots * 1024), '--threads', '1'];
  const more = await releaseOptions(program);
  const child = spawn(program, [...place, ...size, ...more], { stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
  const exited = once(child, 'exit');
  const close = async () => {
    child.kill('SIGTERM');
    await exited;
  };
  try {
    await Promise.race([
      untilHealthy(port),
      exited.then(() => {
        throw new Error(`the server ended: ${log.slice(-2000)}`);
      }),
    ]);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    port,
    takeLog: () => {
      const found = [...log.matchAll(evalTime)].map(([, ms, tokens]) => ({
        tokens: Number(tokens),
        generationMs: Number(ms),
      }));
      log = '';
      return found;
    },
    close,
  };
}
