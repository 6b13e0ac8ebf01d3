import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDataDir, createPlace, type ServerPlace, startAt, type TestServer } from './support/server.ts';

let place: ServerPlace;
let server: TestServer;
beforeAll(async () => {
  place = await createPlace();
  server = await startAt(place, { PROCESSES: '2', SAMPLE_DATA: 'false' });
});
afterAll(() => server.dispose());

/** Node child processes of a process that serve requests. */
async function answering(of: number): Promise<number[]> {
  const children = (await readFile(`/proc/${of}/task/${of}/children`, 'utf8')).trim().split(' ').map(Number);
  const lines = await Promise.all(children.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
  return children.filter((_, place) => /member\.[jt]s/.test(lines[place] ?? ''));
}

async function untilAnswering(count: number, apartFrom: readonly number[] = []): Promise<number[]> {
  for (;;) {
    const pids = (await answering(server.process.pid ?? 0)).filter((pid) => !apartFrom.includes(pid));
    if (pids.length === count && (await startedProcesses()) >= count) return pids;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Metrics over a new connection, so that any process can respond. */
async function figure(name: string): Promise<number> {
  const response = await fetch(`${server.url}/metrics`, { headers: { connection: 'close' } });
  const line = (await response.text()).split('\n').find((text) => text.startsWith(`${name} `));
  return Number(line?.split(' ')[1]);
}

/** Processes that have opened the port. Each adds a separate connection limit. */
const startedProcesses = async () => (await figure('inferboard_database_connections_max')) / 16;

describe('a service of two processes', () => {
  it('sums their metrics, and counts the database once', async () => {
    await untilAnswering(2);
    const before = await figure('inferboard_data_version_reads_total');
    const boards = Array.from({ length: 8 }, async (_, place) => {
      const url = `${server.url}/v1/leaderboard?limit=${place + 1}`;
      expect((await fetch(url, { headers: { connection: 'close' } })).status).toBe(200);
    });
    await Promise.all(boards);
    const misses = await figure('inferboard_answer_cache_misses_total');
    expect(misses).toBeGreaterThanOrEqual(8);
    // Any process reports the metrics of both.
    expect([await figure('inferboard_answer_cache_misses_total'), await figure('inferboard_build_info')]).toEqual([
      misses,
      Number.NaN,
    ]);
    expect(await figure('inferboard_database_up')).toBe(1);
    expect(await figure('inferboard_data_version_reads_total')).toBeGreaterThanOrEqual(before);
  });

  it('restarts a killed process, and responds in the meantime', async () => {
    const [first, second] = await untilAnswering(2);
    process.kill(first ?? 0, 'SIGKILL');
    // Until it is gone, the kernel can assign it connections, which it resets.
    while (existsSync(`/proc/${first}`)) await new Promise((resolve) => setTimeout(resolve, 5));
    const pids = await untilAnswering(1, [first ?? 0]);
    expect(pids).toEqual([second]);
    expect((await fetch(`${server.url}/readyz`, { headers: { connection: 'close' } })).status).toBe(200);
    const again = await untilAnswering(2, [first ?? 0]);
    expect(again).toContain(second);
    expect((await fetch(`${server.url}/v1/leaderboard`)).status).toBe(200);
  });

  it('stops all of them when it is stopped', async () => {
    const other = await startAt(await createPlace(), { PROCESSES: '2', SAMPLE_DATA: 'false' });
    const pids = await answering(other.process.pid ?? 0);
    expect(pids.length).toBeGreaterThanOrEqual(1);
    expect(await other.stop()).toBe(0);
    const left = pids.filter((pid) => {
      try {
        return process.kill(pid, 0);
      } catch {
        return false;
      }
    });
    expect(left).toEqual([]);
    await other.dispose();
  });

  it('reports in one line why it cannot start', async () => {
    const taken = await createDataDir();
    const port = new URL(server.url).port;
    const fault = startAt(taken, { PROCESSES: '2', SAMPLE_DATA: 'false', PORT: port });
    await expect(fault).rejects.toThrow(
      new RegExp(`ended with 1:\n(?:Creating[^\n]*\n)?Cannot start: PORT ${port} on 127.0.0.1 is in use[^\n]*$`),
    );
    await taken.remove();
  });
});
