import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readArtifact } from '../index.ts';

interface Entry {
  file: string;
  tool: string;
  verdict: string;
  n_results: number;
  results: { expect: Record<string, number>; facts?: Record<string, unknown> }[];
}

// Published result files in a local folder next to the checkout. We do not own them, so they are not committed.
const folder = new URL('../../../../../../shared/real-results/', import.meta.url);
const index = new URL('index.json', folder);
const entries: Entry[] = existsSync(index) ? JSON.parse(readFileSync(index, 'utf8')).files : [];
/** Tools without an adapter, by the prefix of their file names. Delete a line when its adapter is added. */
const notYet: string[] = [];
/** Number of tests in reports that the collection counts as one result each. */
const testsOf = new Map([
  ['inferencex__dashboard_dsr1_interactivity.csv', 5],
  ['triton__flash-attention_issue307_ms.console.txt', 15],
  ['llama_benchy__nemotron_big-context.md', 24],
  ['llama_benchy__sample.json', 2],
  ['localscore__llama3.2-1b_cuda13.console.txt', 9],
  ['localscore__llama3.2-1b_cuda13.json', 9],
]);
/**
 * Corrections of wrong reference figures: 100 requests of 2048 tokens in 6345.624 s are 32.2742 tok/s of output. The file
 * has 32.3338 for the time after the first token, 1000 / 30.9274 ms.
 */
const corrected: Record<string, Record<string, number>> = {
  'trtllm_bench__latency_v0.16_doc.console.txt': { output_tok_s: 32.2742, decode_tok_s: 32.3338 },
};
/** Tables whose unit only their script states. They are rejected until the unit is added. */
const unitless = 'triton__fused-attention_pr1917.console.txt';
const isRead = ({ file }: Entry) => !notYet.some((prefix) => file.startsWith(prefix));

function readValue(result: ReturnType<typeof readArtifact>['results'][number] | undefined, name: string): unknown {
  if (name === 'load.level') return result?.load?.level;
  const { inputTokens, outputTokens, lengths } = result?.scenario ?? {};
  // A run's measured means are stored in addition to the requested lengths.
  if (name === 'scenario.input_tokens') return lengths?.inputTokens ?? inputTokens?.value;
  if (name === 'scenario.output_tokens') return lengths?.outputTokens ?? outputTokens?.value;
  return Object.entries(result?.metrics ?? {}).find(([metric]) => metric === name)?.[1];
}

const bytesOf = (file: string) => new Uint8Array(readFileSync(new URL(file, folder)));

describe.skipIf(entries.length === 0)('published files', () => {
  const read = entries.filter(
    (entry) => isRead(entry) && entry.verdict.startsWith('accept') && entry.file !== unitless,
  );
  test.each(read)('$file', (entry) => {
    const { file, results, n_results } = entry;
    const reading = readArtifact(bytesOf(file));
    expect(reading.results).toHaveLength(testsOf.get(file) ?? n_results);
    for (const [position, { expect: values, facts }] of results.entries()) {
      const result = reading.results[position];
      for (const [name, value] of Object.entries({ ...values, ...corrected[file] })) {
        const found = readValue(result, name);
        // Seconds times a thousand: the reference figures were rounded to nine decimals.
        if (typeof found === 'number' && Math.abs(found - value) <= 1e-9 * Math.abs(value)) continue;
        expect([name, found]).toEqual([name, value]);
      }
      // One repetition has no spread, even if one is printed.
      if (typeof facts?.tps_sd === 'number' && result?.repeats?.n !== 1)
        expect(Object.values(result?.repeats?.sd ?? {})[0]).toBe(facts.tps_sd);
    }
  });

  test('rejects a table without a unit, and reads it with one', () => {
    const missing = expect.objectContaining({ code: 'unit_missing', line: 1 });
    expect(() => readArtifact(bytesOf(unitless))).toThrow(
      expect.objectContaining({ code: 'artifact_unreadable', faults: expect.arrayContaining([missing]) }),
    );
    const given = readArtifact(bytesOf(unitless), { unit: 'TFLOPS' });
    const withUnit = new TextDecoder().decode(bytesOf(unitless)).replaceAll(/^(fused.*:)$/gm, '$1 (TFLOPS)');
    const { results } = readArtifact(new TextEncoder().encode(withUnit));
    expect(given.results.map(({ metrics }) => metrics)).toEqual(results.map(({ metrics }) => metrics));
    expect(results.map(({ metrics }) => Object.entries(metrics)[0])).toEqual([
      ...[84.264189, 102.107403, 112.87069, 119.091437, 122.207429].map((rate) => ['forward_tflop_s', rate]),
      ...[48.682318, 62.058675, 71.723711, 77.470921, 80.584323].map((rate) => ['backward_tflop_s', rate]),
    ]);
  });

  // Labels like those of supported tools, with a different meaning.
  test.each(entries.filter((entry) => !isRead(entry)))('$file of an unsupported tool is rejected', ({ file }) => {
    expect(() => readArtifact(bytesOf(file))).toThrow(expect.objectContaining({ code: 'tool_unrecognised' }));
  });
});
