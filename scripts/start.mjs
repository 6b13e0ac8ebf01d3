// Starts the whole product: builds site and service where their sources changed since the last build, then runs the service in
// this process, so that signals reach it.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const build = spawnSync(
  join(root, 'node_modules', '.bin', process.platform === 'win32' ? 'turbo.cmd' : 'turbo'),
  ['run', 'build', '--filter=@inferboard/site', '--filter=@inferboard/api', '--output-logs=errors-only', '--ui=stream'],
  {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1', ASTRO_TELEMETRY_DISABLED: '1' },
    shell: process.platform === 'win32',
  },
);
if (build.status !== 0) {
  console.error(build.stdout);
  console.error('Site and service could not be built; see the lines above.');
  process.exit(build.status ?? 1);
}
await import('../apps/api/dist/main.js');
