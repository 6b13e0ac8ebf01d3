import { expect, it } from 'vitest';
import { adminKey, useTestApp } from '../testing/index.ts';

const app = useTestApp({ registration: 'open' });

const ask = (path: string, key = adminKey) => app.request(path, { headers: { authorization: `Bearer ${key}` } });
const post = (path: string, body: object, key?: string) =>
  app.request(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) },
    body: JSON.stringify(body),
  });

const namesAt = async (path: string) =>
  ((await (await ask(path)).json()) as { data: { name: string }[] }).data.map(({ name }) => name);

it('admins see the accounts that wait to be vouched', async () => {
  await app.createAccount('made by an admin');
  const response = await post('/v1/accounts', { name: 'newcomer' });
  const { id, key } = (await response.json()) as { id: string; key: { key: string } };
  const table =
    '| model | size | params | backend | ngl | test | t/s |\n| --- | ---: | ---: | --- | --: | --: | ---: |\n| llama 7B Q4_0 | 3.56 GiB | 6.74 B | CUDA | 99 | tg128 | 240.52 ± 0.31 |\n';
  expect((await app.submit(table, { gpu: 'rtx-4090', model: 'meta-llama/Llama-2-7b-hf' }, key.key)).status).toBe(201);
  expect(await (await ask('/v1/admin/accounts')).json()).toMatchObject({
    data: [{ id, name: 'newcomer', standing: 'new', submissions: 1 }],
  });
  await post(`/v1/accounts/${id}/vouch`, {}, adminKey);
  expect(await namesAt('/v1/admin/accounts')).toEqual([]);
});

it('admins see the unverified endpoints of all accounts', async () => {
  const key = await app.createAccount('prober');
  const body = { name: 'a node', base_url: 'https://llm.example.com/v1', model: 'tiny' };
  const { id } = (await (await post('/v1/endpoints', body, key)).json()) as { id: string };
  expect(await (await ask('/v1/admin/endpoints')).json()).toMatchObject({
    data: [{ id, name: 'a node', base_url: 'https://llm.example.com/v1', account: expect.stringMatching(/^acc_/) }],
  });
  expect((await ask(`/v1/admin/endpoints`, key)).status).toBe(403);
  expect((await post(`/v1/endpoints/${id}/approve`, {}, adminKey)).status).toBe(200);
  expect(await namesAt('/v1/admin/endpoints')).toEqual([]);
});
