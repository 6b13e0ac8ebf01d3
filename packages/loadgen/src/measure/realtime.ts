import { execFileSync } from 'node:child_process';
import { readlinkSync } from 'node:fs';
import { basename } from 'node:path';

/** Above all programs without real-time priority; most of Linux's own threads have 50 or 99. */
const priority = '10';

function runChrt(args: readonly string[]): void {
  // Node cannot set this priority: `os.setPriority` sets the nice value.
  execFileSync('chrt', ['--rr', ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
}

/** Why threads of this process cannot have real-time priority; null if they can. */
export function whyNotRealtime(): string | null {
  if (process.platform !== 'linux') return 'real-time priority requires Linux';
  try {
    runChrt([priority, 'true']);
    return null;
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (isMissing) return 'the command chrt of util-linux is not installed';
    return `real-time priority is not permitted; run the command as root, or with "ulimit -r ${priority}"`;
  }
}

/** Gives the calling thread real-time priority: it gets a core as soon as it is ready. Throws where `whyNotRealtime` is not null. */
export function becomeRealtime(): void {
  runChrt(['--pid', priority, basename(readlinkSync('/proc/thread-self'))]);
}
