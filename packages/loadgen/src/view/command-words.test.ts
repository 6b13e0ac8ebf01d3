import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commandWords } from './command-words.ts';

test.each([
  ['npm run measure', '/repo/packages/loadgen/src/cli/main.ts', 'measure', 'npm run measure --'],
  ['npm run measure', '/repo/packages/loadgen/src/cli/main.ts', 'submit', 'npx inferboard submit'],
  ['npm run measure on Windows', 'C:\\repo\\packages\\loadgen\\src\\cli\\main.ts', 'measure', 'npm run measure --'],
  ['npx in a checkout', '/repo/node_modules/.bin/inferboard', 'measure', 'npx inferboard measure'],
  ['a global installation', '/usr/local/bin/inferboard', 'measure', 'inferboard measure'],
  ['the file of a build', '/repo/packages/cli/dist/main.js', 'submit', 'inferboard submit'],
])('repeats the words of %s', (_, script, command, words) => {
  expect(commandWords(command, script)).toBe(words);
});

test('repeats the package that npx was started with', async () => {
  const cache = await mkdtemp(join(tmpdir(), 'inferboard-npx-'));
  try {
    const folder = join(cache, '_npx', 'a9b0c6ff4976da44');
    const script = join(folder, 'node_modules', '.bin', 'inferboard');
    expect(commandWords('submit', script)).toBe('inferboard submit');
    await mkdir(folder, { recursive: true });
    await writeFile(
      join(folder, 'package.json'),
      JSON.stringify({ _npx: { packages: ['./inferboard-cli-0.1.0.tgz'] } }),
    );
    expect(commandWords('submit', script)).toBe('npx ./inferboard-cli-0.1.0.tgz submit');
  } finally {
    await rm(cache, { recursive: true });
  }
});
