import { describe, expect, it } from 'vitest';
import { base64url, expectRule, nativeReport } from '../support/hostile.ts';
import { useHostileApp } from './setup.ts';

// For any input: no 5xx, a problem document with the error for every rejection, and no silently ignored input.

const { app, look, firstResult } = useHostileApp();

describe('cursors', () => {
  const forged = [
    '"\\u0000"',
    '"\\ud800"',
    '[1,"\\u0000"]',
    '["\\u0000","a"]',
    '["a","b"]',
    '[1e999,"a"]',
    '[-0,"a"]',
    '[5e-324,"a"]',
    '[null,null]',
    '{"__proto__":1}',
    '{"0":1,"1":"a","length":2}',
    '',
    'not json',
    `"${'x'.repeat(200)}"`,
  ];
  const lists = ['/v1/leaderboard', '/v1/results', '/v1/systems', '/v1/submissions'];
  const cursors = [
    ...forged.map((text) => [`an encoded ${text.slice(0, 30)}`, base64url(text)] as const),
    ['!!!', '!!!'],
    ['%00', '%00'],
    ['600 characters', 'z'.repeat(600)],
  ] as const;
  describe.each(lists)('%s', (list) => {
    it.each(cursors)('accepts or rejects %s', async (_, cursor) => {
      const seen = await look(`${list}?cursor=${cursor}`);
      expectRule(seen);
      expect([200, 422]).toContain(seen.status);
    });
  });

  it('accepts every cursor it returned, also with long names', async () => {
    const system = (i: string) => ({
      model: `${'模'.repeat(190)}${i}`,
      gpu: '卡'.repeat(200),
      quantization: '量'.repeat(200),
      engine: { name: '擎'.repeat(60), version: '版'.repeat(200) },
    });
    for (const i of ['a', 'b']) await firstResult(nativeReport({ system: system(i) }), '');
    let cursor: string | null = null;
    const seenIds = new Set<string>();
    do {
      const path: string = `/v1/systems?limit=1&include=quarantined${cursor === null ? '' : `&cursor=${cursor}`}`;
      const page = await app.get<{ data: { id: string }[]; next_cursor: string | null }>(path);
      for (const { id } of page.data) seenIds.add(id);
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(seenIds.size).toBeGreaterThanOrEqual(3);
  });

  it('rejects a cursor of another query', async () => {
    const cursor = base64url(JSON.stringify([5, 'sys_1']));
    const seen = await look(`/v1/leaderboard?rank_by=ttft_ms_mean&order=desc&cursor=${cursor}`);
    expectRule(seen);
    expect(seen.status).toBe(422);
  });
});
