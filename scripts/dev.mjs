// Development: rebuilds the site when its sources change, and restarts the service when anything it loaded did.
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const env = { ...process.env, TURBO_TELEMETRY_DISABLED: '1', ASTRO_TELEMETRY_DISABLED: '1' };
const options = { cwd: root, stdio: 'inherit', env };
const turbo = join(root, 'node_modules', '.bin', 'turbo');

/** Ends with the other: half of the pair is of no use. */
function run(command, args) {
  const child = spawn(command, args, options);
  child.once('exit', () => stop());
  return child;
}

let stopping = false;
function stop() {
  if (stopping) return;
  stopping = true;
  for (const child of children) child.kill('SIGTERM');
}

const children = [];
process.on('SIGINT', stop);
process.on('SIGTERM', stop);
const first = spawn(turbo, ['run', 'build', '--output-logs=errors-only', '--ui=stream'], options);
first.once('exit', (code) => {
  if (code !== 0) process.exit(code ?? 1);
  children.push(run(turbo, ['watch', 'build', '--output-logs=errors-only', '--ui=stream']));
  children.push(run(process.execPath, ['--watch', '--watch-preserve-output', 'apps/api/src/main.ts']));
});
