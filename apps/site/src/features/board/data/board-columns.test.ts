import { expect, test } from 'vitest';
import type { Entry } from '../../../lib/api.ts';
import { comparedValues } from './board-columns.ts';

/** An entry of MLPerf, with the formula of its latency. */
const entry = (definition: string): Pick<Entry, 'metrics' | 'derived' | 'definitions'> => ({
  metrics: { e2e_ms_mean: 2_641_000, output_tok_s: 51_740 },
  derived: { output_tok_s_per_gpu: 12_935 },
  definitions: { e2e_ms: definition },
});

// Systems with more samples in their offline run would seem slower.
test('A board has no column and no chart of latencies from the start of an offline run', () => {
  expect(comparedValues(entry('from_run_start'))).toMatchObject({ e2e_ms_mean: null, output_tok_s: 51_740 });
  expect(comparedValues(entry('request'))).toMatchObject({ e2e_ms_mean: 2_641_000, output_tok_s_per_gpu: 12_935 });
});
