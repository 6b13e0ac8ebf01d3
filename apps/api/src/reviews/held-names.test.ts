import { describe, expect, it } from 'vitest';
import { adminKey, useTestApp } from '../testing/index.ts';
import { fast, report, slow } from '../testing/reviews.ts';

const app = useTestApp();
const path = '/v1/admin/held-names';

interface Held {
  data: { fact: string; name: string; results: number; submissions: number }[];
}

const list = async () => {
  const response = await app.request(path, { headers: { authorization: `Bearer ${adminKey}` } });
  expect(response.status).toBe(200);
  return ((await response.json()) as Held).data;
};
const decide = (body: object, key = adminKey) =>
  app.request(path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
async function send(version: string, system: object, lines = [fast], key = adminKey): Promise<string> {
  const response = await app.submit(report(version, { ...system }, lines), {}, key);
  expect(response.status).toBe(201);
  return ((await response.json()) as { id: string }).id;
}
const statusOf = async (id: string) => (await app.get<{ status: string }>(`/v1/submissions/${id}`)).status;

describe('names missing from the catalogue', () => {
  it('are listed with their held results, and one decision maps all of them', async () => {
    const other = await app.createAccount('another');
    const ids = [
      await send('held.1', { gpu: 'Frobnicator 9000' }, [fast, slow]),
      await send('held.2', { gpu: 'FROBNICATOR  9000' }, [fast], other),
    ];
    const kept = await send('held.3', { model: 'Wundermodell 7' });
    await send('held.4', {});
    expect(await list()).toEqual([
      expect.objectContaining({ fact: 'gpu', results: 3, submissions: 2 }),
      expect.objectContaining({ fact: 'model', name: 'Wundermodell 7', results: 1, submissions: 1 }),
    ]);

    const note = 'A cloud calls it so.';
    const response = await decide({
      fact: 'gpu',
      name: 'Frobnicator 9000',
      decision: 'map',
      to: 'NVIDIA H100 SXM5',
      note,
    });
    expect(await response.json()).toMatchObject({
      has_more: false,
      submissions: [
        { results: expect.any(Number), status: 'accepted', code: null },
        { results: expect.any(Number), status: 'accepted', code: null },
      ],
    });
    expect(await Promise.all(ids.map(statusOf))).toEqual(['accepted', 'accepted']);
    expect(await list()).toEqual([expect.objectContaining({ fact: 'model' })]);

    const again = await decide({ fact: 'model', name: 'Wundermodell 7', decision: 'keep', note: 'Nobody knows it.' });
    expect(again.status).toBe(200);
    expect(await statusOf(kept)).toBe('quarantined');
  });

  it('are decided only by admins, and mapping requires a target', async () => {
    const key = await app.createAccount('third');
    const body = { fact: 'gpu', name: 'Frobnicator 9000', decision: 'map', to: 'h100-sxm', note: 'It is.' };
    expect((await decide(body, key)).status).toBe(403);
    expect((await app.request(path)).status).toBe(401);
    expect((await decide({ ...body, name: 'Nobody sent this' })).status).toBe(409);
    expect((await decide({ ...body, to: undefined })).status).toBe(422);
    expect((await decide({ ...body, to: 'no such gpu at all' })).status).toBe(422);
    expect((await decide({ ...body, decision: 'clear' })).status).toBe(422);
  });
});
