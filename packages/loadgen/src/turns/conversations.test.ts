import { expect, test } from 'vitest';
import { startFakeServer } from '../fake-server/fake-server.ts';
import type { FakeOptions } from '../fake-server/options.ts';
import type { LoadPlan } from '../measure/plan.ts';
import { summariseLoad } from '../measure/records/summarise-load.ts';
import { measureHere } from '../measure/testing/measure-here.ts';
import { bodyOf, countOutcomes, planFor } from '../measure/testing/plans.ts';
import { turnsOf } from './turns.ts';

interface Message {
  role: string;
  content: string;
}

/** Measures conversations with these numbers of turns. Returns the messages of each request in the order received. */
async function converse(
  counts: readonly number[],
  options: Partial<FakeOptions> = {},
  over: Partial<LoadPlan> = {},
  thinkMs = 0,
) {
  const server = await startFakeServer({ ttftMs: 5, itlMs: 1, ...options }, { keepsRequests: true });
  try {
    const bodies = counts.flatMap((count, conversation) =>
      Array.from({ length: count }, (_, turn) =>
        bodyOf(3, { messages: [{ role: 'user', content: `conversation ${conversation}, turn ${turn}` }] }),
      ),
    );
    const think = Float64Array.from(counts.flatMap((count) => [0, ...Array<number>(count - 1).fill(thinkMs)]));
    const plan = planFor(server.port, bodies.length, { bodies, turns: turnsOf(counts, think), ...over });
    const record = await measureHere(plan);
    const sent = server.answers.map(
      ({ request }) => (JSON.parse(request?.body ?? '') as { messages: Message[] }).messages,
    );
    return { record, sent };
  } finally {
    await server.close();
  }
}

test('each turn contains the earlier messages and responses', async () => {
  const { record, sent } = await converse([3, 1, 2], { multibyte: true });
  expect(countOutcomes(record)).toEqual({ ok: 6 });
  const answer = { role: 'assistant', content: ' größe 词元 🙂' };
  const said = (conversation: number, turn: number) => ({
    role: 'user',
    content: `conversation ${conversation}, turn ${turn}`,
  });
  const last = sent.filter((messages) => messages.at(-1)?.content.startsWith('conversation 0'));
  expect(last.map(({ length }) => length)).toEqual([1, 3, 5]);
  expect(last.at(-1)).toEqual([said(0, 0), answer, said(0, 1), answer, said(0, 2)]);
  expect(sent).toContainEqual([said(2, 0), answer, said(2, 1)]);
  // The server counts more prompt tokens with each turn.
  const [first, second, third] = record.requests.map(({ prompt_tokens }) => prompt_tokens ?? 0);
  expect(second).toBeGreaterThan(first ?? 0);
  expect(third).toBeGreaterThan(second ?? 0);
});

test('a turn waits for the think time after the previous response', async () => {
  const { record } = await converse([2, 2], {}, {}, 60);
  const [a, b] = record.requests;
  const wait = (b?.started_ms ?? 0) - (a?.closed_ms ?? 0);
  // A timer of the event loop can end up to a millisecond early.
  expect(wait).toBeGreaterThanOrEqual(59);
  expect(record.requests.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
});

test('a closed loop keeps the given number of conversations in flight', async () => {
  const { record } = await converse([2, 2, 2], { ttftMs: 20 }, { pace: { mode: 'closed', concurrency: 1 } });
  for (const [at, { started_ms }] of record.requests.entries())
    if (at > 0) expect(started_ms).toBeGreaterThanOrEqual(record.requests[at - 1]?.closed_ms ?? 0);
});

test('an open loop starts conversations when they are due; later turns have no due time', async () => {
  const due_ms = Float64Array.of(0, 30, 60);
  const { record } = await converse([2, 2, 2], {}, { pace: { mode: 'open', due_ms, maxInFlight: null } });
  expect(record.requests.map(({ due_ms }) => due_ms)).toEqual([0, null, 30, null, 60, null]);
  expect(summariseLoad(record).arrival).toMatchObject({ dropped: 0 });
});

test('a failed turn ends only its own conversation', async () => {
  const options = { fault: { kind: 'status_500', every: 2, at: 0 } } as const;
  const { record } = await converse([3, 3], options, { pace: { mode: 'closed', concurrency: 1 } });
  expect(record.requests.map(({ index, outcome }) => [index, outcome])).toEqual([
    [0, 'ok'],
    [1, 'http_5xx'],
    [3, 'ok'],
    [4, 'http_5xx'],
  ]);
});

test('a time limit ends conversations during their think time', async () => {
  const limits = { duration_ms: 100, outputTokens: null, request_timeout_ms: 20_000, stall_ms: 10_000 };
  const { record } = await converse([2, 2], {}, { limits, pace: { mode: 'closed', concurrency: 2 } }, 150);
  expect(record.requests.map(({ index }) => index)).toEqual([0, 2]);
});

test('threads share the conversations', async () => {
  const { record } = await converse(Array(6).fill(2), {}, { threads: 2, pace: { mode: 'closed', concurrency: 4 } });
  expect(countOutcomes(record)).toEqual({ ok: 12 });
});

test('completions contain the text so far', async () => {
  const server = await startFakeServer({ ttftMs: 5, itlMs: 1 }, { keepsRequests: true });
  try {
    const bodies = ['one', 'two'].map((prompt) => JSON.stringify({ prompt, max_tokens: 2, stream: true }));
    const turns = turnsOf([2], new Float64Array(2));
    await measureHere(planFor(server.port, 2, { path: '/v1/completions', bodies, turns }));
    const sent = server.answers.map(({ request }) => JSON.parse(request?.body ?? '').prompt);
    expect(sent).toEqual(['one', 'one the token\n\ntwo']);
  } finally {
    await server.close();
  }
});

test.each([
  ['a conversation without turns', turnsOf([1, 0, 1], new Float64Array(2))],
  ['fewer rows than bodies', turnsOf([1], new Float64Array(1))],
  ['a negative think time', turnsOf([2], Float64Array.of(0, -1))],
])('%s is rejected', async (_what, turns) => {
  await expect(measureHere(planFor(1, 2, { turns }))).rejects.toThrow(RangeError);
});
