import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readArtifact } from '../index.ts';

const fixture = new URL('../../../fixtures/sglang-bench-serving/2024-07-few-figures.jsonl', import.meta.url);

// Published in sgl-project/sglang, pull request 685: the first lines of the program, with neither duration nor counts.
test('reads the lines of July 2024, which have four figures', () => {
  const { results } = readArtifact(readFileSync(fixture));
  expect(results.map(({ load }) => load)).toMatchObject([
    { mode: 'rate', level: 1 },
    { mode: 'rate', level: 2 },
  ]);
  expect(results[0]?.metrics).toEqual({
    input_tokens: 14688,
    output_tokens: 12790,
    ttft_ms_p50: 32.953862100839615,
    itl_ms_p50: 12.583150564412666,
    output_tok_s: 187.74840245645584,
  });
});
