import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const main = fileURLToPath(new URL('main.ts', import.meta.url));

/** Runs a program with a service that accepts every file. Returns the number of uploads, the exit code and the errors. */
async function runWithService(program: string, args: readonly string[]) {
  let requests = 0;
  const service = createServer((request, response) => {
    request.resume().on('end', () => {
      if (request.method === 'POST') requests += 1;
      response.writeHead(201, { 'content-type': 'text/plain' });
      response.end('Link: http://localhost/submissions/1');
    });
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  const { port } = service.address() as AddressInfo;
  try {
    const env = { PATH: process.env.PATH ?? '', INFERBOARD_URL: `http://127.0.0.1:${port}`, INFERBOARD_KEY: 'ib_key' };
    const child = spawn(program, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
    let errors = '';
    child.stderr.on('data', (chunk: Buffer) => {
      errors += chunk.toString();
    });
    const [code] = await once(child, 'close');
    return { requests, code, errors };
  } finally {
    service.close();
  }
}

// The reader of the pipe ends before the first line, as head does after its last one.
test('sends every file although the reader of the output has ended', async () => {
  const pipe = '"$0" "$@" | true; exit $PIPESTATUS';
  const args = ['-c', pipe, process.execPath, main, 'submit', main, main, main];
  expect(await runWithService('bash', args)).toEqual({ requests: 3, code: 0, errors: '' });
});

test('sends every file although the output cannot be written, and does not end with 0', async ({ skip }) => {
  if (!existsSync('/dev/full')) skip();
  const args = ['-c', 'exec "$0" "$@" > /dev/full', process.execPath, main, 'submit', main, main];
  const errors = 'standard output: the disk is full.\n';
  expect(await runWithService('bash', args)).toEqual({ requests: 2, code: 2, errors });
});

test('sends the other files if some cannot be read', async () => {
  const files = [main, join(dirname(main), 'none.json'), dirname(main), main];
  const { requests, code, errors } = await runWithService(process.execPath, [main, 'submit', ...files]);
  expect([requests, code]).toEqual([2, 2]);
  expect(errors).toMatch(/none\.json does not exist\.\n.* is a folder\./);
});

test('prints its version', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [main, '--version']);
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});
