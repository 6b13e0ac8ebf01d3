import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { DomainError } from '../errors.ts';
import type { Parameters } from './parameters.ts';
import { readSubmission } from './read-submission.ts';

// Published files from a local collection next to the checkout. We do not own them, so they are not committed.
const shared = new URL('../../../../../shared/', import.meta.url);
const folder = new URL('real-results/', shared);
const index = new URL('index.json', folder);
const seed = new URL('seeds/rtx-pro-6000-logs.md', shared);

interface Entry {
  file: string;
  verdict: string;
  results: { facts?: Record<string, unknown> }[];
}
const entries: Entry[] = existsSync(index) ? JSON.parse(readFileSync(index, 'utf8')).files : [];
const bytesOf = (url: URL) => new Uint8Array(readFileSync(url));

/** The collection's facts of a file, by our parameters. */
const factNames = { model: ['model'], gpu: ['gpu', 'hw'], quantization: ['quantization', 'precision'] };

function reportedOf(facts: Record<string, unknown>, names: readonly string[]): string {
  const [value] = names.flatMap((name) => facts[name] ?? []);
  return typeof value === 'string' ? value : 'unspecified';
}

/** Parses a file like its sender would: required facts from the collection, else `unspecified`. */
function submit({ file, results }: Entry) {
  const bytes = bytesOf(new URL(file, folder));
  const facts = results[0]?.facts ?? {};
  const count = facts.gpu_count;
  let given: Parameters = typeof count === 'number' ? { gpu_count: count } : {};
  for (let asked = 0; asked < 3; asked++) {
    try {
      return readSubmission(bytes, given).results;
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      for (const [name, names] of Object.entries(factNames))
        if (error.faults.some(({ code }) => code === `${name}_missing`))
          given = { ...given, [name]: reportedOf(facts, names) };
      if (error.faults.some(({ code }) => code === 'unit_missing')) given = { ...given, unit: 'TFLOPS' };
    }
  }
  return readSubmission(bytes, given).results;
}

/** Rows with an unstated load or setting are valid, but do not rank until the sender states the difference. */
const isReadable = (status: string) => status === 'accepted' || status === 'not_repetitions';
const waitsForItsName = new Set(['gpu_unknown', 'model_unknown', 'engine_unknown']);

describe.skipIf(entries.length === 0)('published files, sent unchanged', () => {
  test('are more than 60', () => expect(entries.length).toBeGreaterThan(60));

  test.each(entries.filter(({ verdict }) => verdict.startsWith('accept')))('$file causes no violation', (entry) => {
    const results = submit(entry);
    const findings = results.flatMap((result) => result.findings);
    expect(findings.filter(({ severity }) => severity === 'violation').map(({ message }) => message)).toEqual([]);
    const held = results.filter(
      ({ status, findings }) => !isReadable(status) && !findings.some(({ code }) => waitsForItsName.has(code)),
    );
    expect(held.map(({ status, lines }) => `${status} on line ${lines.from}`)).toEqual([]);
  });
});

describe.skipIf(!existsSync(seed))('a collection of logs in one document', () => {
  const read = () => readSubmission(bytesOf(seed), { gpu: 'rtx-pro-6000', quantization: 'unspecified' });

  test('gives all results, accepted, with eight power limits from its headings', () => {
    const { results } = read();
    expect(results).toHaveLength(53);
    expect(new Set(results.map(({ status }) => status))).toEqual(new Set(['accepted']));
    const limits = Map.groupBy(results, ({ system }) => system.gpuPowerLimitW);
    expect([...limits].map(([watts, of]) => [watts, of.length])).toEqual([
      ...[600, 500, 450, 400, 350, 300, 250, 200].map((watts) => [watts, 2]),
      [null, 37],
    ]);
    expect(new Set(limits.get(null)?.map(({ tool }) => tool.name))).toEqual(
      new Set(['llama-bench', 'attention-gym', 'vllm bench serve']),
    );
  });

  test('lists a section without results as ignored', () => {
    expect(read().ignored).toContain('section "Training" on line 668');
  });
});
