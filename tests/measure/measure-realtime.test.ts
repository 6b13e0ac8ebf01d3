import { spawnSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMeasureCommand, type MeasureCommand } from '../support/measure-command.ts';

// With --realtime, the threads that measure have priority over other programs, and the rest of the command does not.

const isPermitted = spawnSync('chrt', ['--rr', '10', 'true']).status === 0;
const roundRobin = 2;
let command: MeasureCommand;

beforeAll(async () => {
  command = await createMeasureCommand();
});
afterAll(() => command.dispose());

/** Scheduling policy and real-time priority of each thread. */
async function policiesOf(pid: number): Promise<{ policy: number; priority: number }[]> {
  const threads = await readdir(`/proc/${pid}/task`);
  const stats = await Promise.all(
    threads.map((id) => readFile(`/proc/${pid}/task/${id}/stat`, 'utf8').catch(() => '')),
  );
  return stats
    .filter((stat) => stat !== '')
    .map((stat) => {
      // The name of the thread, in parentheses, can contain spaces. The fields after it begin with the third.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return { policy: Number(fields[38]), priority: Number(fields[37]) };
    });
}

const size = ['--input-tokens', '16', '--output-tokens', '200', '--warmup', '0'];

test.runIf(isPermitted)('gives real-time priority to each worker alone', async () => {
  const { url, close } = await command.serve({ ttftMs: 50, itlMs: 10 });
  try {
    for (const [more, workers] of [
      [[], 0],
      [['--realtime'], 1],
      [['--realtime', '--workers', '2'], 2],
    ] as const) {
      const running = command.start(['--url', url, '--concurrency', '4', '--requests', '4', ...size, ...more]);
      let most = 0;
      let isDone = false;
      void running.ended.then(() => {
        isDone = true;
      });
      while (!isDone) {
        const policies = await policiesOf(running.pid).catch(() => []);
        const raised = policies.filter(({ policy }) => policy === roundRobin);
        expect(raised.every(({ priority }) => priority === 10)).toBe(true);
        most = Math.max(most, raised.length);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      expect(await running.ended).toMatchObject({ code: 0 });
      expect(most).toBe(workers);
    }
  } finally {
    await close();
  }
});

test('is rejected before the first request if the system cannot give it', async () => {
  const { url, close } = await command.serve();
  try {
    const ended = await command.run(['--url', url, '--realtime', '--concurrency', '1', ...size], { PATH: '/nowhere' });
    expect(ended).toMatchObject({ code: 2, output: '' });
    expect(ended.errors).toContain('--realtime: ');
  } finally {
    await close();
  }
});
