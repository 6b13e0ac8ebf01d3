import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { listAddresses, read, root } from '../support/infra.ts';
import { calmPort, renderProxy } from '../support/layout.ts';
import { findTool } from '../support/tools.ts';

const [nginx, openssl, yamllint, shellcheck] = [
  findTool('nginx'),
  findTool('openssl'),
  findTool('yamllint'),
  findTool('shellcheck'),
];
const folder = mkdtempSync(join(tmpdir(), 'inferboard-nginx-'));
afterAll(() => rmSync(folder, { recursive: true }));

const place = async () => `127.0.0.1:${await calmPort()}`;

/** What a program says; empty where it minds nothing. */
function complaintsOf(program: string, args: string[]): string {
  const file = join(folder, 'complaints');
  // A file, for nginx opens its standard output by name, which a pipe of Node does not have.
  const said = openSync(file, 'w');
  const { status } = spawnSync(program, args, { cwd: fileURLToPath(root), stdio: ['ignore', said, said] });
  closeSync(said);
  return `${status === 0 ? '' : `${program} ended with ${status}\n`}${readFileSync(file, 'utf8')}`;
}

describe('infra/nginx', () => {
  test.skipIf(nginx === null || openssl === null)('is what nginx reads', async () => {
    const [key, certificate] = [join(folder, 'key'), join(folder, 'certificate')];
    const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-subj', '/CN=localhost'];
    execFileSync('openssl', ['req', '-x509', ...made, '-keyout', key, '-out', certificate], { stdio: 'pipe' });
    renderProxy(folder, {
      ...{ API_1: '127.0.0.1:9', API_2: '127.0.0.1:9', SITE_1: '127.0.0.1:9', SITE_2: '127.0.0.1:9' },
      ...{ HTTP_LISTEN: await place(), HTTPS_LISTEN: await place(), INTERNAL_LISTEN: await place() },
      ...{ SERVER_NAME: '_', TLS_CERTIFICATE: certificate, TLS_KEY: key },
    });
    const args = ['-t', '-q', '-p', folder, '-c', join(folder, 'nginx.conf')];
    expect(complaintsOf(nginx ?? '', args)).toBe('');
  });

  test('leads every address of the API to the API, and pages to the site', () => {
    const template = read('infra/nginx/templates/inferboard.conf.template');
    const patterns = [...template.matchAll(/^ {4}~(\^\S+) api;$/gm)].map(([, pattern]) => new RegExp(pattern ?? ''));
    expect(patterns.length).toBe(2);
    const roleOf = (address: string) => (patterns.some((pattern) => pattern.test(address)) ? 'api' : 'site');
    const { api, site } = listAddresses();
    expect(api.filter((address) => roleOf(address) !== 'api')).toEqual([]);
    expect(site.filter((address) => roleOf(address) !== 'site')).toEqual([]);
  });
});

describe('what lies in infra', () => {
  test.skipIf(yamllint === null)('is tidy YAML', () => {
    expect(complaintsOf(yamllint ?? '', ['--strict', '-c', 'infra/yamllint.yaml', 'infra'])).toBe('');
  });

  test.skipIf(shellcheck === null)('and shell without traps', () => {
    const scripts = ['infra/compose/make-secrets.sh', 'infra/compose/rolling-restart.sh', '.ci/run'];
    expect(complaintsOf(shellcheck ?? '', scripts)).toBe('');
  });
});
