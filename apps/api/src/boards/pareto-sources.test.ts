import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readInferencexFile } from '../imports/inferencex-file.ts';
import { runImport } from '../imports/run-import.ts';
import { useTestApp } from '../testing/index.ts';

interface Frontier {
  data: { load: { level: number }; system: { id: string }; sources?: { entry: string }[] }[];
}

const app = useTestApp();
const fixture = new URL('../../../../packages/core/fixtures/inferencex-api/2026-rows.json', import.meta.url);
let place: string;

// One system at two loads of one workload, and at another workload.
beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'inferboard-sources-'));
  const rows = JSON.parse(await readFile(fixture, 'utf8')) as { hardware: string }[];
  const row = rows.find(({ hardware }) => hardware === 'h200');
  const run = (id: number) => ({ run_url: `https://github.com/SemiAnalysisAI/InferenceX/actions/runs/${id}` });
  const file = join(place, 'rows.json');
  await writeFile(
    file,
    JSON.stringify([
      { ...row, ...run(101) },
      { ...row, ...run(102), conc: 8 },
      { ...row, ...run(103), isl: 8192 },
    ]),
  );
  await runImport(await readInferencexFile(file), app.deps);
});
afterAll(() => rm(place, { recursive: true, force: true }));

it('cites the sources of each point, not those of its system', async () => {
  const sourcesIn = async (workload: string) => {
    const { data } = await app.get<Frontier>(`/v1/pareto?workload=${workload}&full=true`);
    expect(new Set(data.map(({ system }) => system.id)).size).toBe(1);
    return data.map(({ load, sources }) => [load.level, sources?.map(({ entry }) => entry)]);
  };
  expect(await sourcesIn('1k-1k-steady')).toEqual([
    [4, ['run 101, 2026-05-17']],
    [8, ['run 102, 2026-05-17']],
  ]);
  expect(await sourcesIn('8k-1k-steady')).toEqual([[4, ['run 103, 2026-05-17']]]);
});

it('returns them as a selected field, and omits them in a short response', async () => {
  const selected = await app.get<Frontier>('/v1/pareto?workload=8k-1k-steady&fields=sources.entry');
  expect(selected.data).toEqual([{ sources: [{ entry: 'run 103, 2026-05-17' }] }]);
  const { data } = await app.get<Frontier>('/v1/pareto?workload=1k-1k-steady');
  expect(data.every(({ sources }) => sources === undefined)).toBe(true);
});
