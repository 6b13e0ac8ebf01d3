import { beforeAll, describe, expect, it } from 'vitest';
import { type Concern, useConcerns } from '../testing/concerns.ts';
import { type Answer, adminKey, useTestApp } from '../testing/index.ts';

// The owner's response to a concern, the admin's decision, and its effect on the submission.

const app = useTestApp();
const concerns = useConcerns(app);
let [owner, other] = ['', ''];
beforeAll(async () => {
  [owner, other] = await Promise.all([app.createAccount('owner'), app.createAccount('somebody else')]);
});

const { reported } = concerns;
const submit = () => concerns.submit(owner);

const boardOf = (version: string) =>
  app.get<{ data: unknown[]; excluded: Record<string, number> }>(
    `/v1/leaderboard?rank_by=output_tok_s&engine_version=${version}`,
  );
const submissionOf = (id: string) =>
  app.get<Answer & { retraction: { reason: string } | null }>(`/v1/submissions/${id}`);
const entriesOf = (target: string) =>
  app.deps.database.sql<{ act: string; detail: Record<string, unknown> }[]>`
    select act, detail from audit_log where target = ${target} order by id`;

describe("an owner's reply", () => {
  it('can be sent only by the owner, and replaced until the decision', async () => {
    const id = await reported((await submit()).id);
    for (const key of [other, adminKey])
      expect(await concerns.answer(id, { key })).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect((await concerns.answer(id, {})).status).toBe(401);
    expect((await concerns.answer(id, { key: owner }, { text: '', note: 1 })).body.errors).toHaveLength(2);
    expect((await concerns.answer(id, { key: owner }, { text: 'Wait.' })).body.answer?.text).toBe('Wait.');
    expect((await concerns.answer(id, { key: owner }, { text: 'It is so.' })).body.answer?.text).toBe('It is so.');
    await concerns.decide(id, { decision: 'upheld', note: 'It is.' });
    const late = await concerns.answer(id, { key: owner });
    expect([late.status, late.body.code]).toEqual([409, 'concern_already_decided']);
  });

  it('can use If-Match', async () => {
    const id = await reported((await submit()).id);
    const tag = (await concerns.get(`/v1/concerns/${id}`, { key: owner })).headers.get('etag') ?? '';
    const first = await concerns.answer(id, { key: owner, headers: { 'if-match': tag } });
    expect(first.status).toBe(200);
    const second = await concerns.answer(id, { key: owner, headers: { 'if-match': tag } }, { text: 'Once more.' });
    expect([second.status, second.body.code]).toEqual([412, 'precondition_failed']);
  });
});

describe('a decision', () => {
  const upheld = { decision: 'upheld', note: 'Nothing in the artifact speaks of that GPU.' };

  it('is restricted to admins, requires a note, and allows an action only if upheld', async () => {
    const id = await reported((await submit()).id);
    expect((await concerns.decide(id, upheld, { key: owner })).status).toBe(403);
    expect((await concerns.decide(id, upheld, {})).status).toBe(401);
    const wrong = await concerns.decide(id, { decision: 'dismissed', note: '', action: 'retract', by: 'me' });
    expect(wrong.status).toBe(422);
    expect(wrong.body.errors.map(({ pointer }) => pointer).sort()).toEqual(['/action', '/by', '/note']);
    expect((await concerns.decide('con_00000000000000000000000000000000', upheld)).status).toBe(404);
    expect((await concerns.decide(id, { ...upheld, decision: 'dismissed', action: 'none' })).status).toBe(200);
  });

  it('without an action changes nothing about the submission, and is logged', async () => {
    const { id, version } = await submit();
    const concern = await reported(id);
    const before = await submissionOf(id);
    expect((await concerns.decide(concern, upheld)).body).toMatchObject({
      state: 'upheld',
      decision: { action: 'none' },
    });
    expect(await submissionOf(id)).toEqual(before);
    expect((await boardOf(version)).data).toHaveLength(1);
    expect(await entriesOf(concern)).toEqual([
      { act: 'concern_decided', detail: { decision: 'upheld', action: 'none', submission: id } },
    ]);
    expect(await entriesOf(id)).toEqual([]);
  });

  it('removes the submission from the boards until a review clears it', async () => {
    const { id, version } = await submit();
    const concern = await reported(id);
    expect((await concerns.decide(concern, { ...upheld, action: 'quarantine' })).status).toBe(200);
    const held = await submissionOf(id);
    expect(held).toMatchObject({ status: 'quarantined', results: [{ status: 'quarantined' }] });
    expect(held.results[0]?.findings.find(({ code }) => code === 'concern_upheld')).toMatchObject({
      ...{ code: 'concern_upheld', severity: 'warning', evidence: { concern } },
      message: expect.stringContaining(upheld.note),
    });
    expect(await boardOf(version)).toMatchObject({ data: [], excluded: { quarantined: 1 } });
    expect((await entriesOf(id)).map(({ act, detail }) => [act, detail])).toEqual([
      ['submission_quarantined', { concern }],
    ]);
    const review = {
      method: 'POST',
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ decision: 'clear', note: 'The log came.' }),
    };
    expect((await app.request(`/v1/submissions/${id}/review`, review)).status).toBe(200);
    expect((await boardOf(version)).data).toHaveLength(1);
  });

  it('retracts the submission, with the note as its reason', async () => {
    const { id, version } = await submit();
    const [concern, second] = [await reported(id), await reported(id)];
    expect((await concerns.decide(concern, { ...upheld, action: 'retract' })).status).toBe(200);
    expect(await submissionOf(id)).toMatchObject({ status: 'retracted', retraction: { reason: upheld.note } });
    expect(await boardOf(version)).toMatchObject({ data: [], excluded: { retracted: 1 } });
    expect(await entriesOf(id)).toEqual([{ act: 'submission_retracted', detail: { concern } }]);
    for (const action of ['retract', 'quarantine']) {
      const late = await concerns.decide(second, { ...upheld, action });
      expect([late.status, late.body.code]).toEqual([409, 'submission_already_retracted']);
    }
    expect(await entriesOf(second)).toEqual([]);
    expect((await concerns.decide(second, upheld)).status).toBe(200);
  });

  it('is made once, also if two admins decide at the same time', async () => {
    const { id } = await submit();
    const concern = await reported(id);
    const seen = await Promise.all([
      concerns.decide(concern, { ...upheld, action: 'retract' }),
      concerns.decide(concern, { decision: 'dismissed', note: 'It is right.' }),
      concerns.decide(concern, { ...upheld, action: 'quarantine' }),
    ]);
    expect(seen.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const [won] = seen.filter(({ status }) => status === 200);
    // The other decisions left no trace.
    const { status } = await submissionOf(id);
    const follows: Record<string, string> = { none: 'accepted', quarantine: 'quarantined', retract: 'retracted' };
    expect(status).toBe(follows[won?.body.decision?.action ?? '']);
    expect(await entriesOf(concern)).toHaveLength(1);
    const later = await concerns.decide(concern, upheld);
    expect([later.status, later.body.code]).toEqual([409, 'concern_already_decided']);
  });

  it('can use If-Match: a new reply must be read first', async () => {
    const id = await reported((await submit()).id);
    const tag = (await concerns.get(`/v1/concerns/${id}`, { key: adminKey })).headers.get('etag') ?? '';
    await concerns.answer(id, { key: owner });
    const decide = (match: string) => concerns.decide(id, upheld, { key: adminKey, headers: { 'if-match': match } });
    expect((await decide(tag)).body.code).toBe('precondition_failed');
    const current = (await concerns.get(`/v1/concerns/${id}`, { key: adminKey })).headers.get('etag') ?? '';
    expect((await decide(current)).status).toBe(200);
  });

  it('and its action are atomic: if the log entry fails, nothing changes', async () => {
    const { id } = await submit();
    const concern = await reported(id);
    const { sql } = app.deps.database;
    await sql`alter table audit_log add constraint broken check (act <> 'submission_retracted') not valid`;
    try {
      expect((await concerns.decide(concern, { ...upheld, action: 'retract' })).status).toBe(500);
    } finally {
      await sql`alter table audit_log drop constraint broken`;
    }
    expect((await submissionOf(id)).status).toBe('accepted');
    expect((await concerns.list(`/v1/submissions/${id}/concerns`, { key: adminKey }))[0]?.state).toBe('open');
  });
});

describe('the list of concerns', () => {
  it('is restricted to admins, filtered by state, newest first, and paginated', async () => {
    expect((await concerns.get('/v1/concerns')).status).toBe(401);
    expect((await concerns.get('/v1/concerns', { key: owner })).status).toBe(403);
    const { id } = await submit();
    const mine = [];
    for (let i = 0; i < 3; i += 1) mine.push(await reported(id));
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const query: string = `state=open&limit=2${cursor === null ? '' : `&cursor=${cursor}`}`;
      const response = await concerns.get(`/v1/concerns?${query}`, { key: adminKey });
      const page = (await response.json()) as { data: Concern[]; next_cursor: string | null };
      expect(page.data.every(({ state }) => state === 'open')).toBe(true);
      seen.push(...page.data.map((concern) => concern.id));
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(seen.slice(0, 3)).toEqual(mine.toReversed());
    expect(seen).toEqual(seen.toSorted().toReversed());
    expect(new Set(seen).size).toBe(seen.length);
    const decided = await concerns.list('/v1/concerns?state=upheld', { key: adminKey });
    expect(decided.length).toBeGreaterThan(0);
    expect(decided.every(({ state }) => state === 'upheld')).toBe(true);
    const wrong = await concerns.get('/v1/concerns?state=opened&cursor=x&stat=open', { key: adminKey });
    const { errors } = (await wrong.json()) as { errors: { parameter: string }[] };
    expect(errors.map(({ parameter }) => parameter).sort()).toEqual(['cursor', 'stat', 'state']);
  });
});
