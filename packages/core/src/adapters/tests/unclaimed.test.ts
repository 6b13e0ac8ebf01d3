import { expect, test } from 'vitest';
import { readArtifact } from '../index.ts';

const ignored = (text: string) => readArtifact(new TextEncoder().encode(text)).ignored;
const latencies = `---------------Time to First Token----------------
Mean TTFT (ms):                          316.56
Median TTFT (ms):                        97.29
P99 TTFT (ms):                           4310.56
-----Time per Output Token (excl. 1st token)------
Mean TPOT (ms):                          19.02
==================================================
`;
const block = `============ Serving Benchmark Result ============
Successful requests:                     1024
Benchmark duration (s):                  63.81
Request throughput (req/s):              16.05
Output token throughput (tok/s):         2993.85
${latencies}`;

// Otherwise the user sees one result and does not notice that the other run is missing.
test('lists serving figures whose block begins at a heading', () => {
  expect(ignored(`before:\n${latencies}\nafter:\n${block}`)).toEqual(['serving figures without their block on line 3']);
  expect(ignored(`${block}\nother branch:\n${latencies}\n${block}`)).toEqual([
    'serving figures without their block on line 16',
  ]);
});

test('does not list the figures of read blocks', () => {
  expect(ignored(`${block}\n${block}`)).toEqual([]);
});
