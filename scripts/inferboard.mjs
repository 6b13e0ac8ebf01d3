#!/usr/bin/env node
// The client of this checkout, which `npm start` builds: npx inferboard submit FILE
import { existsSync } from 'node:fs';

const main = new URL('../packages/cli/dist/main.js', import.meta.url);
if (existsSync(main)) await import(main.href);
else {
  console.error('The client is not built. Run npm start once.');
  process.exitCode = 2;
}
