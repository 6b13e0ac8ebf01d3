// Builds site, service and client where their sources changed since the last build.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const client = join(root, 'packages', 'cli', 'dist', 'main.js');
const stampFile = join(root, 'apps', 'api', 'dist', '.built');
const sources = ['apps', 'packages'];
const passedOver = new Set(['node_modules', 'dist', '.astro', '.turbo']);

/** Adds the files of a folder to a hash, by name and content. */
function addFolder(hash, folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!passedOver.has(entry.name)) addFolder(hash, path);
    } else if (entry.isFile() && !entry.name.endsWith('.test.ts')) hash.update(path).update(readFileSync(path));
  }
}

/** What the build is made of. */
function fingerprint() {
  const hash = createHash('sha256').update(process.version);
  for (const file of ['package-lock.json', 'tsconfig.base.json']) hash.update(readFileSync(join(root, file)));
  for (const folder of sources) addFolder(hash, join(root, folder));
  return hash.digest('hex');
}

/** Runs a build and answers what it wrote, if it failed. */
function build(folder, args) {
  const env = { ...process.env, NODE_ENV: 'production', ASTRO_TELEMETRY_DISABLED: '1' };
  const child = spawn(process.execPath, args, { cwd: join(root, folder), env, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (text += piece));
  return new Promise((resolve) => {
    child.once('exit', (code) => resolve(code === 0 ? null : text));
    child.once('error', (error) => resolve(String(error)));
  });
}

/** Builds what changed; nothing happens if all is current. Throws an error with the output of a build that failed. */
export async function buildOnce() {
  const now = fingerprint();
  const isBuilt =
    existsSync(stampFile) &&
    readFileSync(stampFile, 'utf8') === now &&
    existsSync(join(root, 'apps', 'site', 'dist')) &&
    existsSync(client);
  if (isBuilt) return;
  console.log('Building site, service and client (once per change) ...');
  const builds = [
    build(join('apps', 'site'), [join(root, 'node_modules', 'astro', 'bin', 'astro.mjs'), 'build']),
    build(join('apps', 'api'), ['build.ts']),
    build(join('packages', 'cli'), ['build.ts']),
  ];
  const failures = (await Promise.all(builds)).filter((text) => text !== null);
  if (failures.length > 0)
    throw new Error(`${failures.join('\n')}\nSite, service and client could not be built; see the lines above.`);
  writeFileSync(stampFile, now);
}
