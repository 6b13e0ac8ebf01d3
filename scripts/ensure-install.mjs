// Installs the workspace once per lockfile, so that `npm start` and `npm test` work on a fresh clone.
// Plain JavaScript: it runs on whatever Node (20 or newer) the machine brought, before ours is installed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const stampFile = join(root, 'node_modules', '.inferboard-install');
const wanted = createHash('sha256')
  .update(readFileSync(join(root, 'package-lock.json')))
  .update(`${process.platform}-${process.arch}`);
const patches = join(root, 'patches');
for (const name of readdirSync(patches).sort()) wanted.update(readFileSync(join(patches, name)));
const stamp = wanted.digest('hex');

if (!existsSync(stampFile) || readFileSync(stampFile, 'utf8') !== stamp) {
  console.log('Installing dependencies (once per lockfile) ...');
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const run = spawnSync(npm, ['ci', '--ignore-scripts', '--loglevel=error'], {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (run.status !== 0) {
    console.error('npm ci failed; see the lines above.');
    process.exit(run.status ?? 1);
  }
  await import('./link-node.mjs');
  const patched = spawnSync(process.execPath, [join(root, 'node_modules', 'patch-package', 'index.js')], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (patched.status !== 0) {
    console.error('The fixes in patches/ could not be applied; see the lines above.');
    process.exit(patched.status ?? 1);
  }
  writeFileSync(stampFile, stamp);
}
