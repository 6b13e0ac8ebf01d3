import { extendCatalogue } from '@inferboard/core/catalogue/additions/extend';
import { findModel } from '@inferboard/core/catalogue/index';
import { followCatalogue } from '@inferboard/db/catalogue/follow-catalogue';
import { createDatabase } from '@inferboard/db/connection/client';
import { afterAll, describe, expect, it } from 'vitest';
import { type Answer, adminKey, useTestApp } from '../testing/index.ts';
import { fast, report } from '../testing/reviews.ts';
import { additionExamples } from './addition-schema.ts';

const app = useTestApp();
const path = '/v1/admin/catalogue';
const asAdmin = { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' };

interface Added {
  id: string;
  entry: string;
  held: { results: number; submissions: number; names: string[]; link: string | null };
}
interface Refusal {
  code: string;
  errors: { code: string; pointer: string; message: string }[];
}

const post = (to: string, body: object, key = adminKey) =>
  app.request(to, {
    method: 'POST',
    headers: { ...asAdmin, authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
  });
const remove = (id: string) => app.request(`${path}/${id}`, { method: 'DELETE', headers: asAdmin });
const readAsAdmin = async <T>(from: string) => (await (await app.request(from, { headers: asAdmin })).json()) as T;
async function add(body: object): Promise<Added> {
  const response = await post(path, body);
  expect(response.status, await response.clone().text()).toBe(201);
  return (await response.json()) as Added;
}
async function refused(body: object, status = 409): Promise<Refusal> {
  const response = await post(path, body);
  expect(response.status).toBe(status);
  return (await response.json()) as Refusal;
}
async function send(version: string, system: object): Promise<Answer> {
  const response = await app.submit(report(version, { ...system }, [fast]), { full: 'true' }, adminKey);
  expect(response.status).toBe(201);
  return (await response.json()) as Answer;
}

const model = {
  kind: 'model',
  id: 'wundermodell-7b',
  facts: {
    name: 'Wundermodell 7B',
    developer: 'Acme',
    architecture: 'dense',
    params_total_b: 7.2,
    params_active_b: 7.2,
    matmul_params_per_token_b: 7,
    prefill_params_per_token_b: 6.9,
    kv_bytes_per_token16bit: 131072,
    native_precision: 'bf16',
    context_length: 32768,
  },
  aliases: ['Wunder 7B'],
};

afterAll(() => void extendCatalogue([]));

describe('an entry added by an admin', () => {
  it('offers the results held under its names for one decision, and ranks them afterwards', async () => {
    const before = await app.get<{ data: { id: string }[] }>('/v1/catalogue/models');
    expect(before.data.some(({ id }) => id === model.id)).toBe(false);
    const held = [
      await send('added.1', { model: 'acme/Wundermodell-7B' }),
      await send('added.2', { model: 'Wunder 7B' }),
    ];
    expect(held.map(({ status }) => status)).toEqual(['quarantined', 'quarantined']);

    const added = await add(model);
    expect(added).toMatchObject({
      ...{ id: expect.stringMatching(/^cat_/), entry: model.id, aliases: model.aliases, facts: model.facts },
      held: { results: 2, submissions: 2, link: '/v1/admin/held-names?fact=model&known_as=wundermodell-7b' },
    });
    const names = await readAsAdmin<{ data: { name: string; known_as: string }[] }>(added.held.link ?? '');
    expect(names.data.map(({ known_as }) => known_as)).toEqual([model.id, model.id]);

    for (const { name } of names.data) {
      const decision = { fact: 'model', name, decision: 'map', to: model.id, note: 'It is in the catalogue now.' };
      const decided = await post('/v1/admin/held-names', decision);
      expect(await decided.json()).toMatchObject({ submissions: [{ results: 1, status: 'accepted', code: null }] });
    }
    const board = await app.get<{ data: { system: { model: { id: string } } }[] }>(
      `/v1/leaderboard?full=true&model=${model.id}&rank_by=output_tok_s`,
    );
    expect(board.data.map(({ system }) => system.model.id)).toContain(model.id);
    // A later upload resolves the name without a decision.
    expect(await send('added.3', { model: 'Wundermodell 7B' })).toMatchObject({ status: 'accepted' });
    const after = await app.get<{ data: { id: string; points?: number }[] }>('/v1/catalogue/models');
    expect(after.data.find(({ id }) => id === model.id)).toMatchObject({
      points: 3,
      params_total_b: 7.2,
      layers: null,
    });
    const asked = await app.request('/v1/best?q=fastest+gpu+for+wundermodell+7b');
    expect(asked.status, await asked.clone().text()).toBe(200);
    const list = await readAsAdmin<{ data: Added[] }>(path);
    expect(list.data).toEqual([
      expect.objectContaining({ id: added.id, held: expect.objectContaining({ results: 0 }) }),
    ]);
  });

  it('can be an engine, a quantization or a GPU', async () => {
    const held = await send('added.4', { engine: { name: 'hyperserve', version: '1.0' } });
    expect(held.status).toBe('quarantined');
    const engine = await add({ kind: 'engine', id: 'hyperserve', facts: { name: 'HyperServe' } });
    expect(engine.held).toMatchObject({ results: 1, names: ['hyperserve'] });
    const decision = { fact: 'engine', name: 'hyperserve', decision: 'map', to: 'hyperserve', note: 'A new engine.' };
    expect(await (await post('/v1/admin/held-names', decision)).json()).toMatchObject({
      submissions: [{ status: 'accepted', code: null }],
    });
    await add({
      kind: 'quantization',
      id: 'zint5',
      facts: { family: 'int', weight_bits: 5, bits_per_weight: 5.5, bits_per_weight_min: 5 },
    });
    await add(additionExamples.gpu);
    const sent = await send('added.5', { gpu: 'Frobnicator 8k', quantization: 'ZINT5' });
    expect(sent.results[0]?.system).toMatchObject({ gpu: { id: 'frobnicator-8000' }, quantization: { id: 'zint5' } });
  });

  it('can be the base of other entries, and can get more names', async () => {
    await add({ ...additionExamples.model, facts: { ...additionExamples.model.facts, base: model.id } });
    expect(findModel('acme-tune-8b')).toMatchObject({ base: model.id, paramsTotalB: 7.2 });
    await add({ kind: 'model', id: model.id, aliases: ['Wunder Classic'] });
    expect((await send('added.6', { model: 'wunder-classic' })).status).toBe('accepted');
  });
});

describe('a rejected addition', () => {
  it('lists every name that belongs to another entry, with both entries', async () => {
    const facts = { ...additionExamples.gpu.facts, name: 'NVIDIA GeForce RTX 4090' };
    const { code, errors } = await refused({ ...additionExamples.gpu, id: 'other-card', facts, aliases: ['H100'] });
    expect(code).toBe('entry_conflicts');
    expect(errors).toEqual([
      expect.objectContaining({
        code: 'name_taken',
        pointer: '/facts/name',
        message: expect.stringMatching(/rtx-4090.*other-card/),
      }),
      expect.objectContaining({
        code: 'name_taken',
        pointer: '/aliases/0',
        message: expect.stringMatching(/h100.*other-card/),
      }),
    ]);
    expect((await refused(model)).errors[0]?.message).toBe(
      'The catalogue already has the model wundermodell-7b ("Wundermodell 7B").',
    );
  });

  it('lists missing, unknown and invalid facts with their locations', async () => {
    const { errors } = await refused(
      {
        ...{ kind: 'gpu', id: 'Not An Id', aliases: 'x' },
        facts: { name: 'Card', vendor: 'acme', memory_gb: -1, tflops_dense: { bf16: 'many' }, colour: 'red' },
      },
      422,
    );
    expect(errors.map(({ pointer }) => pointer)).toEqual(
      expect.arrayContaining([
        ...['/id', '/aliases', '/facts/vendor', '/facts/memory_gb', '/facts/tflops_dense/bf16', '/facts/colour'],
        ...['/facts/architecture', '/facts/memory_bandwidth_gbs'],
      ]),
    );
    expect((await refused({ kind: 'gpu', id: 'h100-sxm' }, 422)).errors[0]?.pointer).toBe('/facts');
    expect((await refused({ kind: 'gpu', id: 'no-such', aliases: ['x y'] })).errors[0]?.pointer).toBe('/id');
  });

  it('returns an error to clients other than admins', async () => {
    const key = await app.createAccount('no admin');
    expect((await post(path, model, key)).status).toBe(403);
    expect((await app.request(path)).status).toBe(401);
    expect((await app.request(`${path}/cat_1`, { method: 'DELETE' })).status).toBe(401);
  });
});

describe('removing an addition', () => {
  it('succeeds if no other entry uses it', async () => {
    const base = await add({ ...model, id: 'left-1b', facts: { ...model.facts, name: 'Left 1B' }, aliases: [] });
    const tuned = await add({
      kind: 'model',
      id: 'left-tuned',
      facts: { name: 'Left Tuned', developer: 'A', base: 'left-1b' },
    });
    expect((await remove(base.id)).status).toBe(409);
    expect((await remove(tuned.id)).status).toBe(204);
    expect((await remove(base.id)).status).toBe(204);
    expect((await remove(base.id)).status).toBe(404);
    expect(findModel('left-1b')).toBeNull();
    expect((await send('added.7', { model: 'Left 1B' })).status).toBe('quarantined');
  });

  it('fails if stored results use it', async () => {
    const { data } = await readAsAdmin<{ data: (Added & { aliases: string[] })[] }>(path);
    const idOf = (alias: string) => data.find(({ aliases }) => aliases.includes(alias))?.id ?? '';
    for (const alias of ['Wunder 7B', 'Wunder Classic']) {
      const response = await remove(idOf(alias));
      expect(response.status, alias).toBe(409);
      expect(((await response.json()) as Refusal).code).toBe('entry_in_use');
    }
    expect((await send('added.8', { model: 'Wunder 7B' })).status).toBe('accepted');
  });
});

// A thread or a process with its own database connection, such as the worker or a second server.
it('another process reads an addition from the database, only after a change', async () => {
  const other = createDatabase(app.databaseUrl, { poolSize: 1 });
  try {
    const follower = followCatalogue(other);
    extendCatalogue([]);
    expect(findModel(model.id)).toBeNull();
    await follower.follow();
    const known = findModel(model.id);
    expect(known).not.toBeNull();
    await follower.follow();
    expect(findModel(model.id)).toBe(known);
    await add({ kind: 'engine', id: 'later-engine', facts: { name: 'Later Engine' } });
    await follower.follow();
    expect(findModel(model.id)).not.toBe(known);
  } finally {
    await other.close();
  }
});
