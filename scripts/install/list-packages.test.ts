import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { listPackages } from './list-packages.mjs';
import { isUnread } from './prune.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const lockText = readFileSync(join(root, 'package-lock.json'), 'utf8');
const packagesMost = 350;

it.each([
  ['linux', 'x64', 'glibc'],
  ['linux', 'x64', 'musl'],
  ['linux', 'arm64', 'glibc'],
  ['darwin', 'x64', 'glibc'],
  ['darwin', 'arm64', 'glibc'],
])('npm start installs at most 350 packages on %s %s with %s', (platform, arch, libc) => {
  const machine = { platform, arch, libc };
  const { length } = listPackages(lockText, { isPartial: true, machine });
  expect(length).toBeGreaterThan(100);
  expect(length).toBeLessThanOrEqual(packagesMost);
  // The filter does not omit what npm test needs.
  expect(listPackages(lockText, { isPartial: false, machine }).length).toBeGreaterThan(packagesMost);
});

const megabytesMost = 350;
const isNode = (path: string) => /^node_modules\/node-(?:bin-)?(?:linux|darwin|win)/.test(path);

/** Bytes on disk of a package after `prune`, without the packages inside it. */
function bytesOf(folder: string, removed: readonly string[]): number {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory())
      return entry.name === 'node_modules' || removed.includes(path) ? sum : sum + bytesOf(path, removed);
    return isUnread(entry.name) ? sum : sum + lstatSync(path).blocks * 512;
  }, lstatSync(folder).blocks * 512);
}

// Measured in the full installation, because tests install nothing. Astro's declarations, which are kept, are 1 MB.
it('npm start installs at most 350 MB', () => {
  const bytes = listPackages(lockText, { isPartial: true })
    .filter((path) => !path.startsWith('node_modules/@img/') && existsSync(join(root, path)))
    .map((path) => {
      const folder = join(root, path);
      return bytesOf(folder, isNode(path) ? [join(folder, 'include'), join(folder, 'share')] : []);
    });
  const megabytes = bytes.reduce((sum, one) => sum + one, 0) / 1024 ** 2;
  expect(megabytes).toBeGreaterThan(200);
  expect(megabytes).toBeLessThanOrEqual(megabytesMost);
});
