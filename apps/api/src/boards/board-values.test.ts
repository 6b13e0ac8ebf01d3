import { existsSync, readFileSync } from 'node:fs';
import { findMetric, metrics } from '@inferboard/core/metrics/index';
import { pointStatistics } from '@inferboard/core/statistics/point-statistics';
import { beforeAll, describe, expect, it } from 'vitest';
import { useTestApp } from '../testing/index.ts';

// Checks boards, of each workload by each metric: every value must come from a single claim. A claim is one account's statement
// about one point, so a value is that of a stored result or the mean of one account's repetitions.

interface Result {
  id: string;
  kind: string;
  status: string;
  system: { id: string };
  scenario: { id: string };
  load: { mode: string };
  metrics: Record<string, number | null>;
  derived: Record<string, number | null>;
  repeats: { n: number | null; sd: Record<string, number>; samples: Record<string, number[]> | null } | null;
  submission_id: string;
}
interface Board {
  workload: { id: string } | null;
  data: {
    rank: number | null;
    value: number;
    workload: { id: string };
    system: { id: string };
    statistics: { n: number | null; runs: { result_id: string; submission_id: string }[] };
  }[];
  next_cursor: string | null;
}

const regimes: Record<string, string> = { concurrency: 'steady', rate: 'steady', burst: 'burst', batch: 'offline' };
const workloadOf = ({ kind, scenario, load }: Result) =>
  kind === 'serving' ? `${scenario.id}-${regimes[load.mode] ?? 'unspecified'}` : scenario.id;
const figureOf = (result: Result | undefined, name: string) => result?.metrics[name] ?? result?.derived[name] ?? null;

// Published result files, next to the checkout if they were collected. They have other owners and are not committed.
const folder = new URL('../../../../../shared/real-results/', import.meta.url);
const index = new URL('index.json', folder);
const files: { file: string; verdict: string }[] = existsSync(index)
  ? JSON.parse(readFileSync(index, 'utf8')).files
  : [];

const app = useTestApp({ sampleData: true });
/** All stored results, by id. */
const stored = new Map<string, Result>();
const accountOf = new Map<string, string>();

async function eachPage<T>(path: string, take: (item: T) => void): Promise<void> {
  for (let place: string | null = ''; place !== null; ) {
    const page: { data: T[]; next_cursor: string | null } = await app.get(`${path}limit=200${place}`);
    page.data.forEach(take);
    place = page.next_cursor === null ? null : `&cursor=${page.next_cursor}`;
  }
}

beforeAll(async () => {
  const key = await app.createAccount('collector');
  for (const { file } of files.filter((one) => one.verdict.startsWith('accept'))) {
    const bytes = readFileSync(new URL(file, folder));
    // Facts that a file does not state are set to unspecified, as a client would.
    const parameters: Record<string, string> = {};
    for (let tries = 0; tries < 4; tries += 1) {
      const response = await app.submit(new Uint8Array(bytes), parameters, key);
      if (response.status !== 422) break;
      const { errors = [] } = (await response.json()) as { errors?: { parameter?: string }[] };
      for (const { parameter } of errors) if (parameter !== undefined) parameters[parameter] ??= 'unspecified';
    }
  }
  await eachPage<Result>('/v1/results?full=true&', (result) => stored.set(result.id, result));
  await eachPage<{ id: string; account: { id: string } }>('/v1/submissions?', ({ id, account }) =>
    accountOf.set(id, account.id),
  );
}, 300_000);

/** Describes the errors in the values of a board. */
function faultsOf(path: string, metric: string, { data, workload }: Board): string[] {
  return data.flatMap(({ value, workload: own, system, statistics: { runs } }) => {
    const said = `${path}: ${value} of ${system.id}`;
    if (own.id !== workload?.id) return [`${said} is of ${own.id}, on a board of ${workload?.id}`];
    const results = runs.map(({ result_id }) => stored.get(result_id));
    if (results.length === 0) return [`${said} has no result behind it`];
    if (new Set(runs.map(({ submission_id }) => accountOf.get(submission_id))).size > 1)
      return [`${said} is of several accounts`];
    if (results.length > 1 && results.some((result) => result?.load.mode === 'unspecified'))
      return [`${said} averages runs of which nobody stated the load`];
    const samples = results.map((result) => {
      const { n = null, sd, samples: all } = result?.repeats ?? {};
      const repeats = result?.repeats && { n, sd: sd?.[metric] ?? null, samples: all?.[metric] ?? null };
      return { value: figureOf(result, metric) ?? Number.NaN, repeats: repeats ?? null };
    });
    const { mean } = pointStatistics(samples);
    return Math.abs(mean - value) <= 1e-9 * Math.abs(value) ? [] : [`${said} is not ${mean}, the mean of its results`];
  });
}

describe('every value on a board is a value of a single claim', () => {
  it.each([
    ['system', 4],
    ['quantization', 12],
    ['engine', 12],
  ] as const)(
    'of %ss, checked on one board of %d',
    async (subject, every) => {
      const boards = new Set<string>();
      for (const result of stored.values()) {
        for (const { name, family } of metrics)
          if (family.direction !== 'neutral' && figureOf(result, name) !== null)
            boards.add(JSON.stringify([workloadOf(result), name]));
      }
      expect(boards.size).toBeGreaterThan(50);
      const chosen = process.env.TEST_RUNS === undefined ? [...boards].filter((_, at) => at % every === 0) : boards;
      const faults: string[] = [];
      let values = 0;
      for (const [workload, metric] of [...chosen].map((text) => JSON.parse(text) as [string, string])) {
        expect(findMetric(metric)?.name).toBe(metric);
        const query = new URLSearchParams({ subject, workload, rank_by: metric, limit: '200' });
        const board = await app.get<Board>(`/v1/best?full=true&${query}`);
        values += board.data.length;
        faults.push(...faultsOf(`/v1/best?full=true&${query}`, metric, board));
      }
      expect(values).toBeGreaterThan(20);
      expect(faults.slice(0, 10)).toEqual([]);
    },
    300_000,
  );
});
