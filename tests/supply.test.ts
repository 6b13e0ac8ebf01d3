import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { licenceFault, lockFaults, readLock, shippedPackages } from '../scripts/supply.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const lock = readLock(await readFile(`${root}package-lock.json`, 'utf8'));
const run = promisify(execFile);

const integrity = `sha512-${'A'.repeat(86)}==`;
const sound = { version: '1.0.0', integrity, license: 'MIT' };

test('every shipped package is locked with an integrity hash', () => {
  expect(lockFaults(lock)).toEqual([]);
  expect(shippedPackages(lock).length).toBeGreaterThan(100);
});

test.each([
  ['without a hash', { ...sound, integrity: '' }],
  ['with a weak hash', { ...sound, integrity: 'sha1-deadbeef' }],
  ['from a URL', { ...sound, resolved: 'git+ssh://git@example.com/x.git' }],
  ['from a file', { ...sound, resolved: 'file:../x.tgz' }],
])('detects a package %s', (_, locked) => {
  expect(lockFaults({ 'node_modules/x': sound, 'node_modules/a/node_modules/y': locked })).toHaveLength(1);
});

test('every licence of the shipped packages is allowed', () => {
  expect(shippedPackages(lock).flatMap((shipped) => licenceFault(shipped) ?? [])).toEqual([]);
});

test.each([
  ['MIT', true],
  ['(MIT OR GPL-3.0-only)', true],
  ['Apache-2.0 AND MIT', true],
  ['MIT AND AGPL-3.0-only', false],
  ['GPL-3.0-or-later', false],
  ['SSPL-1.0', false],
  ['SEE LICENSE IN LICENSE', false],
  [null, false],
])('%s is allowed: %s', (licence, isAllowed) => {
  expect(licenceFault({ name: 'x', version: '1.0.0', licence }) === null).toBe(isAllowed);
});

test('the bill of materials lists exactly the shipped packages, with version and hash', async () => {
  const { stdout } = await run('npm', ['run', '--silent', 'sbom'], { cwd: root, maxBuffer: 64 * 1024 * 1024 });
  const bill = JSON.parse(stdout) as {
    bomFormat: string;
    specVersion: string;
    metadata: { component: { 'bom-ref': string } };
    components: { purl: string; name: string; version: string; hashes?: { alg: string; content: string }[] }[];
    dependencies: { ref: string; dependsOn?: string[] }[];
  };
  expect(bill).toMatchObject({ bomFormat: 'CycloneDX', specVersion: expect.stringMatching(/^1\.\d$/) });
  const named = new Set(bill.components.map(({ purl }) => decodeURIComponent(purl.split('?')[0] ?? '')));
  const shipped = shippedPackages(lock).map(({ name, version }) => `pkg:npm/${name}@${version}`);
  expect(shipped.filter((purl) => !named.has(purl))).toEqual([]);
  const others = bill.components.filter(({ purl }) => !decodeURIComponent(purl).startsWith('pkg:npm/@inferboard/'));
  expect(others.filter(({ purl }) => !shipped.includes(decodeURIComponent(purl))).map(({ purl }) => purl)).toEqual([]);
  expect(others.filter(({ hashes }) => hashes?.[0]?.alg !== 'SHA-512').map(({ purl }) => purl)).toEqual([]);
  expect(bill.dependencies.map(({ ref }) => ref)).toContain(bill.metadata.component['bom-ref']);
});
