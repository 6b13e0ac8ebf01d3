import { expect, test } from 'vitest';
import { readArtifact } from './index.ts';
import { toPlainText } from './plain-facts.ts';

const read = (text: string) => readArtifact(new TextEncoder().encode(text));

test.each([
  ['plain', 'plain'],
  ['a\u202eb', 'ab'],
  ['a\u001b[31mb', 'a[31mb'],
  [' a\nb\tc\u0007 ', 'a b c'],
])('cleans %j to %j', (text, plain) => {
  expect(toPlainText(text)).toBe(plain);
});

// A stored name with a bidirectional control character would look like another name.
test('removes control characters from all facts of logs and records', () => {
  const record = {
    run_name: 'w8a8_\u202e\u001b[1mrun\n2',
    ...{ batch_size: 1, input_len: 1, output_len: 1, latency: 1, output_throughput: 1, overall_throughput: 1 },
    'new\u202efield': 1,
  };
  const block = [
    'vllm bench serve --model org/\u202ename --dataset-name my\u2066set',
    '============ Serving Benchmark Result ============',
    'Successful requests:                     100',
    'Mean TTFT (ms):                          62.26',
    '==================================================',
  ].join('\n');
  const table =
    '| Operation | FW Time (ms) |\n| flex\u202e\u0007attention | 1.5 |\n\n| model | size | params | backend | ngl | test | t/s |\n| llama 7B\u2069 Q4_0 | 3.56 GiB | 6.74 B | CU\u001bDA | 1\u202e9 | tg128 | 1.00 |\n';
  for (const text of [JSON.stringify(record), block, table]) {
    const { results, ignored, tool } = read(text);
    expect(results.length).toBeGreaterThan(0);
    expect(JSON.stringify([results, ignored, tool])).not.toMatch(/[\u202a-\u202e\u2066-\u2069]|\\u00|\\n/);
  }
  expect(read(JSON.stringify(record)).results[0]?.extra.run_name).toBe('w8a8_[1mrun 2');
});
