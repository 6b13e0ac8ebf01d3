import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DomainError } from '../../errors.ts';
import { adapters, readArtifact } from '../index.ts';

const root = new URL('../../../fixtures/', import.meta.url);
const fixtures = [...adapters.map((adapter) => adapter.id), 'unread'].flatMap((folder) =>
  readdirSync(new URL(`${folder}/`, root))
    .filter((name) => !name.endsWith('.expected.json'))
    .map((name) => new Uint8Array(readFileSync(new URL(`${folder}/${name}`, root)))),
);

/** Reads the bytes and rethrows all errors other than a rejection. Results must be storable. */
function readOrRefuse(bytes: Uint8Array): void {
  try {
    for (const { metrics, lines } of readArtifact(bytes).results) {
      for (const value of Object.values(metrics)) expect(Number.isFinite(value)).toBe(true);
      expect(lines.from).toBeGreaterThan(0);
      expect(lines.to).toBeGreaterThanOrEqual(lines.from);
    }
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    // A hundred errors, and the recognised formats.
    expect(error.faults.length).toBeLessThanOrEqual(100 + adapters.length);
  }
}

const fixture = fc.constantFrom(...fixtures);
const at = fc.nat({ max: 100_000 });

// No client input may cause an internal error.
test('reads or rejects random bytes', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 2000 }), readOrRefuse), { numRuns: 300 });
});

test('reads or rejects random text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 500 }), (text) => readOrRefuse(new TextEncoder().encode(text))),
    { numRuns: 300 },
  );
});

test('reads or rejects a fixture truncated at any position', () => {
  fc.assert(
    fc.property(fixture, at, at, (bytes, a, b) => readOrRefuse(bytes.slice(a % bytes.length, b % bytes.length))),
    { numRuns: 400 },
  );
});

test('reads or rejects two spliced fixtures', () => {
  const splice = (one: Uint8Array, other: Uint8Array, a: number, b: number) =>
    readOrRefuse(new Uint8Array([...one.slice(0, a % one.length), ...other.slice(b % other.length)]));
  fc.assert(fc.property(fixture, fixture, at, at, splice), { numRuns: 400 });
});

test('reads or rejects a fixture with swapped and changed characters', () => {
  const changes = fc.array(fc.tuple(at, at, fc.constantFrom(...'|{}[]":,-=+.0123 \r\n±…╔'.split(''))), {
    minLength: 1,
    maxLength: 12,
  });
  fc.assert(
    fc.property(fixture, changes, (bytes, list) => {
      const characters = [...new TextDecoder().decode(bytes)];
      for (const [a, b, character] of list) {
        const [i, j] = [a % characters.length, b % characters.length];
        [characters[i], characters[j]] = [characters[j] ?? '', character];
      }
      readOrRefuse(new TextEncoder().encode(characters.join('')));
    }),
    { numRuns: 500 },
  );
});

test('reads or rejects a fixture with missing, repeated and moved lines', () => {
  fc.assert(
    fc.property(fixture, fc.array(at, { maxLength: 60 }), (bytes, order) => {
      const lines = new TextDecoder().decode(bytes).split('\n');
      readOrRefuse(new TextEncoder().encode(order.map((index) => lines[index % lines.length]).join('\n')));
    }),
    { numRuns: 300 },
  );
});

// A reader with quadratic time would exceed the time limit.
test.each(fixtures.map((bytes, index) => [index, bytes] as const))(
  'reads or rejects 256 KiB of fixture %i in time',
  (_, bytes) => {
    const whole = new Uint8Array(2 ** 18);
    for (let offset = 0; offset < whole.length; offset += bytes.length)
      whole.set(bytes.slice(0, whole.length - offset), offset);
    readOrRefuse(whole);
  },
);

// It took 15 s when each row read the log above the table.
test('reads a llama-bench table whose rows name thousands of models and backends in time', { timeout: 5000 }, () => {
  const devices = 'Device 0: NVIDIA RTX 4090, compute capability 8.9, VMM: yes\n'.repeat(8000);
  const rows = Array.from(
    { length: 8000 },
    (_, at) => `| m${at} 7B Q4_0 | 3.56 GiB | ${at + 1} B | CUDA${at} | pp512 | 100.0 ± 1.0 |\n`,
  );
  const table = `| model | size | params | backend | test | t/s |\n| --- | --- | --- | --- | --- | --- |\n${rows.join('')}`;
  const { results } = readArtifact(new TextEncoder().encode(`$ llama-bench -m foo.gguf\n${devices}${table}`));
  expect(results).toHaveLength(8000);
});

test.each([
  '============ Serving Benchmark Result ============\n',
  'Namespace(\n',
  'vllm bench serve --model x \\\n',
  'llama-bench -m x \\\n--\n',
  '| model | size | params | backend | test | t/s |\n',
  '| model | size | params | backend | test |\n',
  '|\n',
  '╔══════════════╗\n║ x ║\n',
  '| Operation | FW Time (ms) |\n',
  '{"run_name": "a", "batch_size": 1, "input_len": 1, "output_len": 1, "latency": 1, "overall_throughput": 1}\nx\n',
  '{"schema": "inferboard/v1"}\n',
  '"',
  '\\',
  '\r',
  '\u001b[',
  '\u001b]',
  'api_key=',
  'Bearer ',
  '++++++++',
  '========',
  'A=1 ',
])('reads or rejects 1 MiB of %j in time', (piece) => {
  readOrRefuse(new TextEncoder().encode(piece.repeat(Math.floor(2 ** 20 / piece.length))));
});
