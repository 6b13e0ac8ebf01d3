import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const main = fileURLToPath(new URL('main.ts', import.meta.url));

// The reader of the pipe ends before the first line, as head does after its last one.
test('sends every file although the reader of the output has ended', async () => {
  let requests = 0;
  const service = createServer((request, response) => {
    request.resume().on('end', () => {
      requests += 1;
      response.writeHead(201, { 'content-type': 'text/plain' });
      response.end('Link: http://localhost/submissions/1');
    });
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  const { port } = service.address() as AddressInfo;
  try {
    const env = { PATH: process.env.PATH ?? '', INFERBOARD_URL: `http://127.0.0.1:${port}`, INFERBOARD_KEY: 'ib_key' };
    const pipe = '"$0" "$@" | true; exit $PIPESTATUS';
    const child = spawn('bash', ['-c', pipe, process.execPath, main, 'submit', main, main, main], {
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let errors = '';
    child.stderr.on('data', (chunk: Buffer) => {
      errors += chunk.toString();
    });
    const [code] = await once(child, 'close');
    expect(errors).toBe('');
    expect(requests).toBe(3);
    expect(code).toBe(0);
  } finally {
    service.close();
  }
});
