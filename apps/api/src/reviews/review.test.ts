import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import {
  type Board,
  codes,
  fast,
  impossible,
  type Line,
  report,
  slow,
  statuses,
  useReviews,
} from '../testing/reviews.ts';
import { reviewExamples } from './review-schema.ts';

const { app, submit, post, review, board, expectStatisticsCurrent } = useReviews();

describe('mapping an unknown GPU', () => {
  it('moves its results to the mapped GPU, and keeps the original name', async () => {
    const gpu = 'Frobnicator 9000';
    const held = await submit(report('map.1', { gpu }, [fast]));
    expect(held).toMatchObject({ status: 'quarantined', reviews: [] });
    expect(held.results[0]?.findings).toContainEqual(
      expect.objectContaining({
        code: 'gpu_unknown',
        evidence: expect.objectContaining({ nearest: expect.any(Array) }),
      }),
    );
    expect(await board('map.1')).toMatchObject({ data: [], excluded: { quarantined: 1 } });
    expect((await board('map.1', { include: 'quarantined' })).data).toHaveLength(1);

    const path = `/v1/submissions/${held.id}`;
    const tag = (await app.request(path)).headers.get('etag') ?? '';
    const mapped = await review(held.id, { decision: 'map', gpu: 'NVIDIA H100 SXM5', note: 'A cloud calls it so.' });
    expect(mapped.status).toBe('accepted');
    expect(mapped.results[0]).toMatchObject({
      id: held.results[0]?.id,
      status: 'accepted',
      system: { gpu: { id: 'h100-sxm', name: gpu } },
    });
    expect(codes(mapped)).not.toContain('gpu_unknown');
    expect(mapped.results[0]?.findings).toContainEqual({
      code: 'reviewed',
      severity: 'info',
      message: `An admin reviewed this result and mapped the GPU "${gpu}" to h100-sxm: A cloud calls it so.`,
      evidence: { review: expect.stringMatching(/^rev_/), decision: 'map', gpu: { from: gpu, to: 'h100-sxm' } },
    });
    expect(mapped.reviews).toEqual([
      {
        decision: 'map',
        note: 'A cloud calls it so.',
        mapping: { gpu: { from: gpu, to: 'h100-sxm' } },
        results: [held.results[0]?.id],
        at: expect.any(String),
        by: expect.any(String),
      },
    ]);

    const ranked = await board('map.1', { gpu: 'h100' });
    expect(ranked).toMatchObject({ data: [{ value: 800, system: { gpu: { id: 'h100-sxm', name: gpu } } }] });
    expect(ranked.excluded.quarantined).toBeUndefined();
    // A search for the submitted name finds it too.
    expect((await board('map.1', { gpu })).data).toHaveLength(1);
    expect((await app.request(path, { headers: { 'if-none-match': tag } })).status).toBe(200);
    const artifact = await app.request(`${path}/artifact`);
    expect(await artifact.text()).toContain(gpu);
    await expectStatisticsCurrent();
  });

  it('adds them to the existing results, and accepts a family', async () => {
    await submit(report('map.2', { gpu: 'H100' }, [fast]));
    const held = await submit(report('map.2', { gpu: 'Frobnicator 2' }, [{ metrics: { output_tok_s: 820 } }]));
    await review(held.id, { decision: 'map', gpu: 'h100' });
    const { data } = await board('map.2');
    expect(data).toMatchObject([{ value: 810, statistics: { n: 2 }, system: { gpu: { id: null } } }]);
    await expectStatisticsCurrent();
  });

  it('holds them if that GPU cannot hold the weights', async () => {
    const whole = await readFile(
      new URL('llama-bench/llama-3.3-70b-q4_k_m.txt', import.meta.resolve('@inferboard/db/sample/manifest.json')),
      'utf8',
    );
    const held = await submit(whole.replace(/NVIDIA RTX PRO 6000[^,]*/, 'Frobnicator 3'));
    expect(statuses(held)).toEqual(['quarantined', 'quarantined']);
    const mapped = await review(held.id, { decision: 'map', gpu: 'rtx-4090' });
    expect(mapped.status).toBe('quarantined');
    for (const result of mapped.results) {
      expect(result).toMatchObject({ status: 'quarantined', system: { gpu: { id: 'rtx-4090' } } });
      expect(result.findings).toContainEqual(
        expect.objectContaining({ code: 'weights_exceed_memory', severity: 'violation' }),
      );
    }
    expect(codes(mapped)).toContain('reviewed');
    const ranked = (filters: Record<string, string>) =>
      app.get<Board>(`/v1/leaderboard?${new URLSearchParams({ rank_by: 'decode_tok_s', ...filters })}`);
    expect(await ranked({ gpu: 'rtx-4090' })).toMatchObject({ data: [], excluded: { quarantined: 2 } });
    const cleared = await review(held.id, { decision: 'clear', note: 'Offloaded to the CPU.' });
    expect(cleared).toMatchObject({ status: 'accepted', reviews: [{ decision: 'map' }, { decision: 'clear' }] });
    expect(codes(cleared)?.filter((code) => code === 'reviewed')).toHaveLength(2);
    expect((await ranked({ gpu: 'rtx-4090' })).data).toHaveLength(1);
    await expectStatisticsCurrent();
  });

  it('keeps earlier mappings when a second name is mapped', async () => {
    const system = { gpu: 'Frobnicator 4', model: 'acme/unheard-of', quantization: 'original' };
    const held = await submit(report('map.4', system, [fast]));
    expect(held.results[0]?.system).toMatchObject({ quantization: { id: null, name: 'original' } });
    const half = await review(held.id, { decision: 'map', gpu: 'h100-sxm' });
    expect(half.results[0]).toMatchObject({ status: 'quarantined', system: { gpu: { id: 'h100-sxm' } } });
    expect(codes(half)).toContain('model_unknown');
    const whole = await review(held.id, { decision: 'map', model: 'meta-llama/Llama-3.1-8B-Instruct' });
    expect(whole.results[0]).toMatchObject({
      status: 'accepted',
      system: {
        gpu: { id: 'h100-sxm', name: 'Frobnicator 4' },
        model: { id: 'llama-3.1-8b', name: 'acme/unheard-of' },
        quantization: { id: 'bf16', name: 'original' },
      },
    });
    expect(codes(whole)?.filter((code) => code === 'reviewed')).toHaveLength(2);
  });

  it('maps one unknown name at a time', async () => {
    const artifact = [
      report('map.5', { gpu: 'Frobnicator 5' }, [fast]),
      report('map.5', { gpu: 'Grobnicator 5' }, [slow]),
      report('map.5', {}, [impossible]),
    ].join('\n');
    const held = await submit(artifact);
    expect(statuses(held)).toEqual(['quarantined', 'quarantined', 'quarantined']);
    const refused = await post(held.id, { decision: 'map', gpu: 'h100-sxm', note: 'x' });
    expect(refused.status).toBe(422);
    expect(await refused.json()).toMatchObject({
      errors: [{ pointer: '/gpu', message: expect.stringContaining('Frobnicator 5, Grobnicator 5') }],
    });
    const [first, second, third] = held.results.map(({ id }) => id);
    const wrong = await post(held.id, { decision: 'map', gpu: 'h100-sxm', note: 'x', results: [first, third] });
    expect(await wrong.json()).toMatchObject({ errors: [{ pointer: '/results/1' }] });
    const one = await review(held.id, { decision: 'map', gpu: 'h100-sxm', results: [first] });
    expect(statuses(one)).toEqual(['accepted', 'quarantined', 'quarantined']);
    // The result that contradicts itself has no unknown name, so the mapping does not apply to it.
    const two = await review(held.id, { decision: 'map', gpu: 'h200' });
    expect(statuses(two)).toEqual(['accepted', 'accepted', 'quarantined']);
    expect(two.reviews[1]?.results).toEqual([second]);
    expect(two.status).toBe('quarantined');
  });
});

describe('clearing', () => {
  it('accepts a contradicting result, and keeps the finding and the other results', async () => {
    const held = await submit(report('clear.1', {}, [fast, impossible, slow]));
    expect(statuses(held)).toEqual(['accepted', 'quarantined', 'accepted']);
    expect(held.results[1]?.findings).toContainEqual(expect.objectContaining({ severity: 'violation' }));
    const level = (at: string) => board('clear.1', { load_level: at });
    expect((await level('8')).data).toHaveLength(1);
    expect(await level('2')).toMatchObject({ data: [], excluded: { quarantined: 1 } });
    const cleared = await review(held.id, { decision: 'clear', note: 'The clock was read twice.' });
    expect(statuses(cleared)).toEqual(['accepted', 'accepted', 'accepted']);
    expect(cleared.status).toBe('accepted');
    const { findings: before = [] } = held.results[1] ?? {};
    const { findings: after = [] } = cleared.results[1] ?? {};
    expect(after.filter(({ code }) => code !== 'reviewed')).toEqual(before);
    expect(after).toContainEqual(
      expect.objectContaining({ code: 'reviewed', message: expect.stringContaining('The clock was read twice.') }),
    );
    expect(cleared.results[0]).toEqual(held.results[0]);
    expect((await level('2')).data).toMatchObject([{ value: 500 }]);
    expect((await level('8')).data).toMatchObject([{ value: 800 }]);
    await expectStatisticsCurrent();
  });

  it("accepts results above the hardware limit after an admin's decision", async () => {
    const tooFast: Line = { metrics: { user_tok_s: 400 }, level: 1 };
    const held = await submit(report('clear.4', {}, [tooFast, { metrics: { user_tok_s: 150 }, level: 2 }]));
    expect(statuses(held)).toEqual(['quarantined', 'accepted']);
    expect(held.results[0]?.findings).toContainEqual(
      expect.objectContaining({
        code: 'above_roofline',
        severity: 'violation',
        message: expect.stringMatching(/^400 tok\/s per user would need 6\.058 TB\/s; .*3\.35 TB\/s/),
        evidence: expect.objectContaining({ check: 'P2', claimed: 400, bound: expect.closeTo(221.2, 1) }),
      }),
    );
    const speeds = () => board('clear.4', { rank_by: 'user_tok_s' });
    expect((await speeds()).data).toMatchObject([{ value: 150 }]);
    await review(held.id, { decision: 'clear', note: 'A draft model was at work and not declared.' });
    expect((await speeds()).data).toMatchObject([{ value: 400 }]);
  });

  it('ranks an unknown GPU under its own name', async () => {
    const gpu = 'Frobnicator 6';
    const held = await submit(report('clear.2', { gpu }, [fast]));
    const cleared = await review(held.id, { decision: 'clear' });
    expect(cleared.results[0]?.system.gpu).toMatchObject({ id: null, name: gpu });
    expect(codes(cleared)).toContain('gpu_unknown');
    expect((await board('clear.2', { gpu })).data).toHaveLength(1);
  });

  it('applies only to the named results', async () => {
    const held = await submit(report('clear.3', { gpu: 'Frobnicator 7' }, [fast, slow]));
    const one = await review(held.id, { decision: 'clear', results: [held.results[1]?.id] });
    expect(statuses(one)).toEqual(['quarantined', 'accepted']);
    expect(one.status).toBe('quarantined');
    expect(await board('clear.3')).toMatchObject({ data: [{ value: 400 }], excluded: { quarantined: 1 } });
  });
});

describe('keeping', () => {
  it('adds only the review', async () => {
    const held = await submit(report('keep.1', { gpu: 'Frobnicator 8' }, [fast]));
    const kept = await review(held.id, { decision: 'keep', note: 'Nobody has seen this card.' });
    expect(kept).toEqual({
      ...held,
      reviews: [expect.objectContaining({ decision: 'keep', note: 'Nobody has seen this card.', mapping: null })],
    });
    expect((await board('keep.1')).data).toEqual([]);
  });
});

describe('the examples of the reference', () => {
  it('are accepted', async () => {
    const held = await submit(report('example.1', { gpu: 'Frobnicator 14' }, [fast, impossible]));
    await review(held.id, reviewExamples.map);
    expect((await review(held.id, reviewExamples.clear)).status).toBe('accepted');
  });
});
