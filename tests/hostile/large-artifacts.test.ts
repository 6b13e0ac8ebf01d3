import { describe, expect, it } from 'vitest';
import { expectRule, nativeReport } from '../support/hostile.ts';
import { unspecified, useHostileApp } from './setup.ts';

// For any input: no 5xx, a problem document with the error for every rejection, and no silently ignored input.

const { submit } = useHostileApp();

describe('large artifacts', () => {
  const size = 4 * 1024 * 1024;
  const fill = (unit: string) => unit.repeat(Math.floor(size / Buffer.byteLength(unit)));
  const keys = (n: number) => Array.from({ length: n }, (_, i) => `"k${i}":1`).join(',');
  const cases: [string, () => string][] = [
    ['one line', () => fill('a')],
    ['line feeds', () => fill('\n')],
    ['carriage returns', () => fill('a\r')],
    ['opening braces', () => fill('{')],
    ['broken objects', () => fill('{"\n')],
    ['small objects in lines', () => fill('{"a":1}\n')],
    ['small objects in one line', () => fill('{"a":1}')],
    ['table rows', () => fill('| a | b | t/s |\n')],
    ['vertical bars', () => fill('|\n')],
    ['escape sequences', () => fill('\u001b[')],
    ['unclosed titles', () => fill('\u001b]')],
    ['text that looks like keys', () => fill('api_key= bearer --api-key sk- ib_a password=')],
    ['opened Namespaces', () => fill('Namespace(\n')],
    ['commands with continuations', () => fill('vllm bench serve --model a \\\n')],
    ['opened quotes', () => fill(`vllm bench serve ${'"a'.repeat(9000)}\n`)],
    ['titles of result blocks', () => fill('============ Serving Benchmark Result ============\n')],
    [
      '200 000 empty results',
      () => `{"schema":"inferboard/v1","results":[${Array(200_000).fill('{"metrics":{}}').join(',')}]}`,
    ],
    ['300 000 unknown fields', () => `{"schema":"inferboard/v1","results":[],${keys(300_000)}}`],
    ['300 000 unknown metrics', () => `{"schema":"inferboard/v1","results":[{"metrics":{${keys(300_000)}}}]}`],
  ];
  it.each(cases)('rejects 4 MiB of %s', async (_, make) => {
    const seen = await submit(make(), `dry_run=true&${unspecified}`);
    expectRule(seen);
    expect(seen.status).toBe(422);
    expect(seen.text.length).toBeLessThan(200_000);
  });

  it('limits the response to a few times the size of the request', async () => {
    const features = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`f${i}`, 'v'.repeat(90)]));
    const results = Array.from({ length: 1000 }, (_, i) => ({
      load: { mode: 'concurrency', level: i + 1 },
      metrics: { output_tok_s: 1 },
    }));
    const body = nativeReport({ system: { features }, results });
    const seen = await submit(body, 'dry_run=true');
    expectRule(seen);
    expect(seen.text.length).toBeLessThan(60 * body.length);
  });
});
