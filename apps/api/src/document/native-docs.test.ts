import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { useTestApp } from '../testing/index.ts';

const app = useTestApp();

// Readers send the examples to try the format.
test.each([
  ['JSON', /```json\n(.*?)```/s, 'recomputed'],
  ['CSV', /```\n(schema,.*?)```/s, 'self_reported'],
])('the %s example of docs/native-format.md is accepted without a warning', async (_, block, trust) => {
  const text = await readFile(new URL('../../../../docs/native-format.md', import.meta.url), 'utf8');
  const key = await app.createAccount(`reader of docs ${trust.replace('_', ' ')}`);
  const response = await app.submit(block.exec(text)?.[1] ?? '', {}, key);
  expect(response.status).toBe(201);
  const { status, results } = (await response.json()) as {
    status: string;
    results: { trust: string; findings: { severity: string }[] }[];
  };
  expect([status, results.map((result) => result.trust)]).toEqual(['accepted', [trust]]);
  const severities = results.flatMap(({ findings }) => findings.map(({ severity }) => severity));
  expect(severities).not.toContain('violation');
  expect(severities).not.toContain('warning');
});
