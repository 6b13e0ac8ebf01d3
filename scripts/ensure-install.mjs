// Installs the workspace once per lockfile, so that `npm start` and `npm test` work on a fresh clone. With the argument `run`
// it installs only what the service needs. Plain JavaScript, because it runs on the machine's Node (20 or newer) before ours is
// installed.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { applyPatches } from './apply-patches.mjs';
import { listPackages } from './install/list-packages.mjs';
import { prune } from './install/prune.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const modules = join(root, 'node_modules');
const stampFile = join(modules, '.inferboard-install');
const lockText = readFileSync(join(root, 'package-lock.json'), 'utf8');
const hash = createHash('sha256').update(lockText).update(`${process.platform}-${process.arch}`);
const patches = join(root, 'patches');
for (const name of readdirSync(patches).sort()) hash.update(readFileSync(join(patches, name)));
const all = hash.digest('hex');
/** What suffices to run the service. A whole installation does too. */
const partial = `${all} run`;
const isPartial = process.argv[2] === 'run';

/** Folders of the packages that npm will install here. */
const folders = () => listPackages(lockText, { isPartial }).map((path) => join(root, path));

/** Shows the progress of npm: at a terminal in one line, otherwise by quarters. */
function showProgress(packages) {
  let shown = 0;
  const step = () => {
    const done = packages.filter((path) => existsSync(join(path, 'package.json'))).length;
    const percent = Math.floor((100 * done) / packages.length);
    if (process.stdout.isTTY) process.stdout.write(`\r  ${done} of ${packages.length} packages (${percent} %) `);
    else if (percent >= shown + 25) {
      shown = percent - (percent % 25);
      console.log(`  ${done} of ${packages.length} packages (${percent} %)`);
    }
  };
  const timer = setInterval(step, 500);
  return () => {
    clearInterval(timer);
    if (process.stdout.isTTY) process.stdout.write('\r\u001b[K');
  };
}

function runNpm(args) {
  const isWindows = process.platform === 'win32';
  const child = spawn(isWindows ? 'npm.cmd' : 'npm', args, {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: isWindows,
  });
  return new Promise((resolve) => {
    child.once('exit', (code) => resolve(code ?? 1));
    child.once('error', () => resolve(1));
  });
}

async function install() {
  const packages = folders();
  console.log(`Installing ${packages.length} packages${isPartial ? '' : ', tests included'} (once per lockfile) ...`);
  const end = showProgress(packages);
  const omitted = isPartial ? ['--omit=dev'] : [];
  const code = await runNpm(['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', ...omitted]);
  end();
  if (code !== 0) {
    console.error('npm ci failed; see the lines above.');
    process.exit(code);
  }
  await import('./link-node.mjs');
  try {
    applyPatches();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
  if (isPartial) prune(modules);
  writeFileSync(stampFile, isPartial ? partial : all);
}

const found = existsSync(stampFile) ? readFileSync(stampFile, 'utf8') : '';
if (found !== all && !(isPartial && found === partial)) await install();
