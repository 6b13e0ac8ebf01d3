import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { FakeOptions } from '../../packages/loadgen/src/fake-server/options.ts';

const path = (name: string) => fileURLToPath(new URL(`../../packages/loadgen/src/${name}`, import.meta.url));

/** Runs the measure command in a folder and returns its output, or its errors if it printed nothing. */
export async function runMeasure(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const child = spawn(process.execPath, [path('cli/main.ts'), ...args], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [output, errors] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  await once(child, 'close');
  return output || errors;
}

/** Starts the fake server in a separate process. */
export async function startFake(options: Partial<FakeOptions>): Promise<{ url: string; close(): void }> {
  const flags = Object.entries({ port: 0, ...options }).flatMap(([name, value]) => [
    `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
    String(value),
  ]);
  const child = spawn(process.execPath, [path('fake-server/main.ts'), ...flags], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [text] = (await once(child.stdout, 'data')) as [Buffer];
  const url = /http:\/\/[\d.:]+/.exec(text.toString())?.[0] ?? '';
  return { url, close: () => void child.kill('SIGTERM') };
}
