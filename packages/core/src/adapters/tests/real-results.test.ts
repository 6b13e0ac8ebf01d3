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

// Published result files, kept beside a checkout where someone has collected them; they are not ours to commit.
const folder = new URL('../../../../../../shared/real-results/', import.meta.url);
const index = new URL('index.json', folder);
const entries: Entry[] = existsSync(index) ? JSON.parse(readFileSync(index, 'utf8')).files : [];
/** Tools that have no adapter yet, by the beginning of their files' names: a line goes when its adapter comes. */
const notYet: string[] = [];
/** Tests in reports that the collection counts as one result each. */
const testsOf = new Map([
  ['inferencex__dashboard_dsr1_interactivity.csv', 5],
  ['triton__flash-attention_issue307_ms.console.txt', 15],
  ['llama_benchy__nemotron_big-context.md', 24],
  ['llama_benchy__sample.json', 2],
  ['localscore__llama3.2-1b_cuda13.console.txt', 9],
  ['localscore__llama3.2-1b_cuda13.json', 9],
]);
/**
 * Where the figure to compare with is a slip: 100 requests of 2048 tokens in 6345.624 s make 32.2742 tok/s of output; 32.3338
 * is printed beside it for the time after the first token, 1000 / 30.9274 ms.
 */
const corrected: Record<string, Record<string, number>> = {
  'trtllm_bench__latency_v0.16_doc.console.txt': { output_tok_s: 32.2742, decode_tok_s: 32.3338 },
};
/** Tables whose unit only their script knows, so they are refused until somebody writes it down. */
const unitless = 'triton__fused-attention_pr1917.console.txt';
const isRead = ({ file }: Entry) => !notYet.some((prefix) => file.startsWith(prefix));

function readValue(result: ReturnType<typeof readArtifact>['results'][number] | undefined, name: string): unknown {
  if (name === 'load.level') return result?.load?.level;
  const { inputTokens, outputTokens, lengths } = result?.scenario ?? {};
  // Means that were noted of a run stand beside what was asked for.
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
        // Seconds times a thousand: the figures to compare with were rounded to nine decimals.
        if (typeof found === 'number' && Math.abs(found - value) <= 1e-9 * Math.abs(value)) continue;
        expect([name, found]).toEqual([name, value]);
      }
      // One repetition has no spread, whatever is printed for it.
      if (typeof facts?.tps_sd === 'number' && result?.repeats?.n !== 1)
        expect(Object.values(result?.repeats?.sd ?? {})[0]).toBe(facts.tps_sd);
    }
  });

  test('a table that tells no unit is refused, and read once it does', () => {
    const missing = expect.objectContaining({ code: 'unit_missing', line: 1 });
    expect(() => readArtifact(bytesOf(unitless))).toThrow(
      expect.objectContaining({ code: 'artifact_unreadable', faults: expect.arrayContaining([missing]) }),
    );
    const given = readArtifact(bytesOf(unitless), { unit: 'TFLOPS' });
    const told = new TextDecoder().decode(bytesOf(unitless)).replaceAll(/^(fused.*:)$/gm, '$1 (TFLOPS)');
    const { results } = readArtifact(new TextEncoder().encode(told));
    expect(given.results.map(({ metrics }) => metrics)).toEqual(results.map(({ metrics }) => metrics));
    expect(results.map(({ metrics }) => Object.entries(metrics)[0])).toEqual([
      ...[84.264189, 102.107403, 112.87069, 119.091437, 122.207429].map((rate) => ['forward_tflop_s', rate]),
      ...[48.682318, 62.058675, 71.723711, 77.470921, 80.584323].map((rate) => ['backward_tflop_s', rate]),
    ]);
  });

  // Their words resemble ours and mean something else.
  test.each(entries.filter((entry) => !isRead(entry)))('$file is of a tool not read yet: refused', ({ file }) => {
    expect(() => readArtifact(bytesOf(file))).toThrow(expect.objectContaining({ code: 'tool_unrecognised' }));
  });
});
