import { resolveEngine, resolveGpu, resolveModel, resolveQuantization } from '@inferboard/core/catalogue/index';
import { type System, systemKey } from '@inferboard/core/subjects/system';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, type Database } from '../connection/client.ts';
import { toSystemRow } from '../connection/rows.ts';
import { insertRows } from '../copy/bulk.ts';
import { systems as systemTable } from '../schema/index.ts';
import { useTestDatabase } from '../testing/index.ts';
import { listLineage } from './history-lineage.ts';

const testDatabase = useTestDatabase();
let database: Database;
beforeAll(() => {
  database = createDatabase(testDatabase.url, { poolSize: 4 });
});
afterAll(() => database.close());

// Catalogue entries, families and unknown names, some with two spellings.
const model = fc.constantFrom(
  'llama-3.1-8b',
  'meta-llama/Llama-3.1-8B-Instruct',
  'llama3.1',
  'Our Model',
  'our  model',
);
const gpu = fc.constantFrom('h100-sxm', 'NVIDIA H100 80GB HBM3', 'h100', 'Frobnicator', 'frobnicator');
const quantization = fc.constantFrom('fp8', 'FP8', 'w8a8_smooth_gptq', 'w8a8_gptq_smooth', 'w8a8', 'frob');
const maybe = <T>(...values: T[]) => fc.option(fc.constantFrom(...values), { freq: 3 });
const system: fc.Arbitrary<System> = fc
  .record({
    model,
    gpu,
    quantization,
    engine: fc.constantFrom('vLLM', 'vllm', 'Our Server'),
    version: maybe('0.9.2', '0.10.0', '0.11.0'),
    gpuCount: maybe(1, 8),
    gpuPowerLimitW: maybe(450),
    tensor: maybe(1, 8),
    features: fc.constantFrom<System['features']>({}, { a: 1, b: true }, { b: true, a: 1 }, { a: '1' }),
  })
  .map(({ engine, version, tensor, ...facts }) => {
    const [foundModel, foundGpu] = [resolveModel(facts.model), resolveGpu(facts.gpu)];
    const { id, recipe } = resolveQuantization(facts.quantization);
    return {
      ...facts,
      model: { id: foundModel.id, name: facts.model, family: foundModel.family },
      gpu: { id: foundGpu.id, name: facts.gpu, family: foundGpu.family },
      quantization: { id, name: facts.quantization, recipe },
      engine: { id: resolveEngine(engine).id, name: engine, version },
      parallelism: { tensor, pipeline: null, data: null, expert: null },
    };
  });

/** The common key of a lineage: a system's identity without its engine version. */
const lineageKey = (of: System) => systemKey({ ...of, engine: { ...of.engine, version: null } });

test('contains systems that differ only in the engine version', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(system, { minLength: 20, maxLength: 40 }), async (systems) => {
      await database.sql`truncate boards, board_rows, board_figures, board_systems, board_points, board_totals, tool_scatter, systems cascade`;
      const rows = systems.map(toSystemRow);
      await insertRows(database.db, systemTable, rows, { onConflictDoNothing: true });
      for (const [at, one] of systems.entries()) {
        const expected = rows.filter((_, other) => lineageKey(systems[other] ?? one) === lineageKey(one));
        const found = await listLineage(database.db, rows[at]?.id ?? '');
        expect(found.map(({ id }) => id).sort()).toEqual([...new Set(expected.map(({ id }) => id))].sort());
      }
    }),
    { numRuns: 8 },
  );
});

test('is empty for an unknown system', async () => {
  expect(await listLineage(database.db, 'sys_0')).toEqual([]);
});
