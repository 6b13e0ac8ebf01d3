import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { planItem } from '@inferboard/core/plans/items';
import { pointOf } from '@inferboard/core/plans/point';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fakeModel } from '../capacity/testing/measure-source.ts';
import { countByUsage } from '../cli/reach-server.ts';
import { remarksOf } from '../points/doubts.ts';
import { measurePoint } from '../points/measure-point.ts';
import { createCalibrator } from '../prompts/calibrator.ts';
import { withPrefix } from './decorate.ts';
import { constant, type Distribution } from './lengths.ts';
import { createMix } from './mix.ts';
import { createSynthetic } from './synthetic.ts';
import type { TrafficSource } from './unit.ts';

// A server whose chat template adds 50 tokens, and 30 with a system message.

let server: Server;
/** Tokens in addition to those of the calibration. */
let unexpected = 0;
beforeAll(async () => {
  server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const { messages, stream } = JSON.parse(Buffer.concat(pieces).toString());
      const words = messages.flatMap(({ content }: { content: string }) => content.split(' ')).length;
      const template = messages[0].role === 'system' ? 80 : 50;
      const usage = { prompt_tokens: words + template + (stream ? unexpected : 0), completion_tokens: 2 };
      if (!stream) return response.end(JSON.stringify({ usage }));
      for (const content of [' a', ' b'])
        response.write(`data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`);
      const finish = { choices: [{ delta: {}, finish_reason: 'length' }] };
      response.end(
        `data: ${JSON.stringify(finish)}\n\ndata: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`,
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => server.close());

async function measure(source: TrafficSource) {
  const { port } = server.address() as AddressInfo;
  const model = fakeModel(port);
  const countTokens = countByUsage(model, `http://127.0.0.1:${port}`, AbortSignal.timeout(60_000));
  const scenario = { id: source.name, ...source.lengths, dataset: source.name, depth: null, kernel: null };
  const load = { mode: 'concurrency', level: 2 } as const;
  const measured = await measurePoint(model, pointOf(planItem(scenario, load, { requests: 6, warmup: 0 }), 1, 3), {
    ...{ salt: 'test', warmsUp: false, calibrator: createCalibrator({ countTokens, seed: 3, salt: 'test' }) },
    traffic: { source, ramp: null, countTokens },
  });
  const sent = new Set(measured.record.requests.map(({ prompt_tokens }) => prompt_tokens));
  return { sent: [...sent].sort(), notes: remarksOf(measured).filter((note) => /requested|instead/.test(note)) };
}

const made = (input: Distribution, turns = 1): TrafficSource =>
  createSynthetic({
    ...{ input, output: constant(2) },
    conversation: turns === 1 ? null : { turns, thinkS: null },
  });

test('refuses prompts and prefixes that are shorter than the template of the server', async () => {
  const short = /^the shortest prompt has 52 tokens, but 40 are requested$/;
  await expect(measure(made(constant(40)))).rejects.toThrow(short);
  await expect(measure(made(constant(40), 3))).rejects.toThrow(short);
  const parts = [70, 40].map((tokens) => ({ name: `${tokens}`, weight: 1, source: made(constant(tokens)) }));
  await expect(measure(createMix(parts))).rejects.toThrow(short);
  const prefixed = withPrefix(made(constant(60)), { groups: 2, tokens: 20 });
  await expect(measure(prefixed)).rejects.toThrow('the shortest shared prefix has 32 tokens, but 20 are requested');
});

test('counts what the template adds to a system message as part of the prefix', async () => {
  const found = await measure(withPrefix(made(constant(200)), { groups: 2, tokens: 300 }));
  expect(found).toEqual({ sent: [500], notes: [] });
});

test('notes lengths that differ from the requested ones', async () => {
  unexpected = 30;
  try {
    const { notes, sent } = await measure(withPrefix(made(constant(64)), { groups: 2, tokens: 100 }));
    expect(sent).toEqual([194]);
    expect(notes).toEqual(['prompts have 194 tokens instead of the requested 164']);
  } finally {
    unexpected = 0;
  }
  // Every second prompt would be shorter than the template.
  const lengths = [60, 40];
  let drawn = 0;
  const alternating: Distribution = { name: 'alternating', fixed: null, draw: () => lengths[drawn++ % 2] ?? 0 };
  const { notes } = await measure(made(alternating));
  expect(notes).toEqual(['3 of 6 prompts have other lengths than requested, such as 52 tokens instead of 40']);
});
