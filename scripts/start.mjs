// Starts the whole product: builds it where its sources changed, then runs the service in this process, so that signals reach it.
import { existsSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildOnce } from './build-once.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Makes `npx inferboard` in this checkout run its client. */
function linkClient() {
  const link = join(root, 'node_modules', '.bin', 'inferboard');
  // npx on Windows does not run links.
  if (existsSync(link) || process.platform === 'win32') return;
  rmSync(link, { force: true });
  symlinkSync(join('..', '..', 'scripts', 'inferboard.mjs'), link);
}

try {
  await buildOnce();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
linkClient();
await import('../apps/api/dist/main.js');
