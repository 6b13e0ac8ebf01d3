import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:http2';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { listAddresses, read, root } from '../support/infra/infra.ts';
import { calmPort, renderProxy } from '../support/infra/layout.ts';
import { findTool } from '../support/infra/tools.ts';

const [nginx, openssl, yamllint, shellcheck] = [
  findTool('nginx'),
  findTool('openssl'),
  findTool('yamllint'),
  findTool('shellcheck'),
];
const folder = mkdtempSync(join(tmpdir(), 'inferboard-nginx-'));
afterAll(() => rmSync(folder, { recursive: true }));

const place = async () => `127.0.0.1:${await calmPort()}`;

/** Output of a program; empty without warnings. */
function complaintsOf(program: string, args: string[]): string {
  const file = join(folder, 'complaints');
  // A file, because nginx opens its standard output by name, which fails for a pipe of Node.
  const said = openSync(file, 'w');
  const { status } = spawnSync(program, args, { cwd: fileURLToPath(root), stdio: ['ignore', said, said] });
  closeSync(said);
  return `${status === 0 ? '' : `${program} ended with ${status}\n`}${readFileSync(file, 'utf8')}`;
}

/** Renders the configuration without a service behind it. Returns the place that answers HTTPS. */
async function render(): Promise<string> {
  const [key, certificate] = [join(folder, 'key'), join(folder, 'certificate')];
  const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-subj', '/CN=localhost'];
  execFileSync('openssl', ['req', '-x509', ...made, '-keyout', key, '-out', certificate], { stdio: 'pipe' });
  const https = await place();
  renderProxy(folder, {
    ...{ API_1: '127.0.0.1:9', API_2: '127.0.0.1:9', SITE_1: '127.0.0.1:9', SITE_2: '127.0.0.1:9' },
    ...{ HTTP_LISTEN: await place(), HTTPS_LISTEN: https, INTERNAL_LISTEN: await place() },
    ...{ SERVER_NAME: '_', TLS_CERTIFICATE: certificate, TLS_KEY: key },
  });
  return https;
}

/** The status of a response, as soon as the server listens. Accepts any certificate. */
async function statusOf(address: string): Promise<number> {
  for (;;) {
    const asked = get(address, { rejectUnauthorized: false });
    const answer = await once(asked, 'response').catch((error: NodeJS.ErrnoException) => error);
    if (Array.isArray(answer)) {
      const [response] = answer as [IncomingMessage];
      response.resume();
      return response.statusCode ?? 0;
    }
    if (answer.code !== 'ECONNREFUSED') throw answer;
  }
}

/** Runs the proxy without a service behind it. Returns the lines of its logs. */
async function withProxy(ask: (https: string) => Promise<void>): Promise<string> {
  const https = await render();
  const logs = join(folder, 'logs');
  const log = openSync(logs, 'w');
  const args = ['-p', folder, '-c', join(folder, 'nginx.conf'), '-g', 'daemon off;'];
  const proxy = spawn(nginx ?? '', args, { stdio: ['ignore', log, log] });
  closeSync(log);
  const ended = once(proxy, 'exit');
  try {
    await ask(https);
  } finally {
    // It writes the line of a request after the response.
    proxy.kill('SIGQUIT');
    await ended;
  }
  return readFileSync(logs, 'utf8');
}

describe('infra/nginx', () => {
  test.skipIf(nginx === null || openssl === null)('is valid for nginx', async () => {
    await render();
    const args = ['-t', '-q', '-p', folder, '-c', join(folder, 'nginx.conf')];
    expect(complaintsOf(nginx ?? '', args)).toBe('');
  });

  test.skipIf(nginx === null || openssl === null)('writes no token of a link to a log', async () => {
    const lines = await withProxy(async (https) => {
      // Both fail, because no site runs behind the proxy.
      for (const path of ['/systems/x?token=shown', '/submissions/sub_1/claim?token=hidden', '/sign-in?link=hidden'])
        expect(await statusOf(`https://${https}${path}`)).toBe(503);
    });
    expect(lines).toContain('token=shown');
    expect(lines).toContain('"path":"/submissions/sub_1/claim"');
    expect(lines).not.toContain('hidden');
  });

  test.skipIf(nginx === null || openssl === null)(
    'rejects a body above its maximum with a problem document',
    async () => {
      await withProxy(async (https) => {
        await statusOf(`https://${https}/`);
        // Without the body: the proxy rejects the length.
        const session = connect(`https://${https}`, { rejectUnauthorized: false });
        try {
          for (const headers of [{}, { 'idempotency-key': 'once' }]) {
            const asked = session.request({
              ...{ ':method': 'POST', ':path': '/v1/submissions', 'content-length': String(40 * 2 ** 20) },
              ...headers,
            });
            const [[answered], body] = await Promise.all([once(asked, 'response'), text(asked)]);
            expect([answered[':status'], JSON.parse(body)]).toMatchObject([
              413,
              { status: 413, code: 'body_too_large', detail: 'The body is larger than the maximum of 16 MiB.' },
            ]);
          }
        } finally {
          session.destroy();
        }
      });
    },
  );

  test('routes every path of the API to the API, and pages to the site', () => {
    const template = read('infra/nginx/templates/inferboard.conf.template');
    const patterns = [...template.matchAll(/^ {4}~(\^\S+) api;$/gm)].map(([, pattern]) => new RegExp(pattern ?? ''));
    expect(patterns.length).toBe(2);
    const roleOf = (address: string) => (patterns.some((pattern) => pattern.test(address)) ? 'api' : 'site');
    const { api, site } = listAddresses();
    expect(api.filter((address) => roleOf(address) !== 'api')).toEqual([]);
    expect(site.filter((address) => roleOf(address) !== 'site')).toEqual([]);
  });
});

describe('the files of infra', () => {
  test.skipIf(yamllint === null)('pass yamllint', () => {
    expect(complaintsOf(yamllint ?? '', ['--strict', '-c', 'infra/yamllint.yaml', 'infra'])).toBe('');
  });

  test.skipIf(shellcheck === null)('pass shellcheck', () => {
    const scripts = ['infra/compose/make-secrets.sh', 'infra/compose/rolling-restart.sh', '.ci/run'];
    expect(complaintsOf(shellcheck ?? '', scripts)).toBe('');
  });
});
