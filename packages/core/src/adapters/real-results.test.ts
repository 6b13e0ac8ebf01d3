import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readArtifact } from './index.ts';

interface Entry {
  file: string;
  tool: string;
  n_results: number;
  results: { expect: Record<string, number>; facts?: Record<string, unknown> }[];
}

// Published result files, kept beside a checkout where someone has collected them; they are not ours to commit.
const folder = new URL('../../../../../shared/real-results/', import.meta.url);
const index = new URL('index.json', folder);
const entries: Entry[] = existsSync(index) ? JSON.parse(readFileSync(index, 'utf8')).files : [];
const ours =
  /^(?:vllm_serve__.*\.(?:txt|log)|llama_bench__.*\.(?:md|txt|log)|sglang_one_batch_server__.*|attention_gym__.*)$/;

function readValue(result: ReturnType<typeof readArtifact>['results'][number] | undefined, name: string): unknown {
  if (name === 'load.level') return result?.load?.level;
  if (name === 'scenario.input_tokens') return result?.scenario.inputTokens?.value;
  if (name === 'scenario.output_tokens') return result?.scenario.outputTokens?.value;
  return Object.entries(result?.metrics ?? {}).find(([metric]) => metric === name)?.[1];
}

const bytesOf = (file: string) => new Uint8Array(readFileSync(new URL(file, folder)));

describe.skipIf(entries.length === 0)('published files', () => {
  test.each(entries.filter(({ file }) => ours.test(file)))('$file', ({ file, results, n_results }) => {
    const reading = readArtifact(bytesOf(file));
    expect(reading.results).toHaveLength(n_results);
    for (const [position, { expect: values, facts }] of results.entries()) {
      const result = reading.results[position];
      for (const [name, value] of Object.entries(values))
        expect([name, readValue(result, name)]).toEqual([name, value]);
      if (typeof facts?.tps_sd === 'number') expect(Object.values(result?.repeats?.sd ?? {})[0]).toBe(facts.tps_sd);
    }
  });

  // Their words resemble ours and mean something else.
  test.each(entries.filter(({ file }) => !ours.test(file)))('$file is another tool: refused', ({ file }) => {
    expect(() => readArtifact(bytesOf(file))).toThrow(expect.objectContaining({ code: 'tool_unrecognised' }));
  });
});
