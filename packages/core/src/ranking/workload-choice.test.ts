import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Filters } from '../filters/filters.ts';
import { regimes } from '../workloads/regime.ts';
import type { Dimension } from './subject.ts';
import { allowsWorkload, type CountedWorkload, chooseWorkload } from './workload-choice.ts';

type Asked = Pick<Filters, 'workload' | 'regime'>;

const counted = (
  systems: Record<string, number | [systems: number, preferred: number, whole?: number]>,
): CountedWorkload[] =>
  Object.entries(systems).map(([id, of]) => {
    const [all, preferred, whole = all] = typeof of === 'number' ? [of, 0] : of;
    return { id, systems: all, preferred, whole };
  });
const choose = (of: readonly CountedWorkload[], filters: Asked = {}, dimensions: readonly Dimension[] = ['system']) =>
  chooseWorkload(of, { filters, dimensions });

test('allows a workload by its id, or by its shape under any regime', () => {
  const ids = ['chatbot-steady', 'chatbot-burst', '200-60-steady', '200-60'];
  const allowed = (filters: Asked) => ids.filter((id) => allowsWorkload(filters, id));
  expect(allowed({})).toEqual(ids);
  expect(allowed({ workload: ['chatbot'] })).toEqual(['chatbot-steady', 'chatbot-burst']);
  expect(allowed({ workload: ['chatbot-steady'] })).toEqual(['chatbot-steady']);
  expect(allowed({ workload: ['chatbot-steady', '200-60'] })).toEqual(['chatbot-steady', '200-60-steady', '200-60']);
  expect(allowed({ workload: ['chat'] })).toEqual([]);
  expect(allowed({ workload: ['chatbot'], regime: ['burst'] })).toEqual(['chatbot-burst']);
  expect(allowed({ regime: ['steady', 'burst'] })).toEqual(['chatbot-steady', 'chatbot-burst', '200-60-steady']);
  expect(allowed({ regime: ['offline'] })).toEqual([]);
});

describe('the workload of a board', () => {
  const some = counted({ 'rag-offline': 1, 'chatbot-steady': 2, 'chatbot-burst': 1, 'rag-burst': 0 });

  test('is the one with the most systems, and others are listed', () => {
    expect(choose(some)).toEqual({
      choice: {
        id: 'chatbot-steady',
        because: 'most_systems',
        systems: 2,
        others: [
          { id: 'chatbot-burst', systems: 1 },
          { id: 'rag-offline', systems: 1 },
        ],
      },
      ids: ['chatbot-steady'],
    });
  });

  test.each<[Asked, string, 'asked' | 'most_systems']>([
    [{ workload: ['chatbot-burst'] }, 'chatbot-burst', 'asked'],
    [{ workload: ['chatbot'] }, 'chatbot-steady', 'most_systems'],
    [{ workload: ['rag'] }, 'rag-offline', 'most_systems'],
    [{ workload: ['rag-offline', 'chatbot-burst'] }, 'chatbot-burst', 'most_systems'],
    [{ regime: ['burst'] }, 'chatbot-burst', 'most_systems'],
  ])('is one that %j allows: %s, %s', (filters, id, because) => {
    const { choice, ids } = choose(some, filters);
    expect([choice?.id, choice?.because, ids]).toEqual([id, because, [id]]);
    // The others match the remaining filters, so each can be requested instead.
    expect(choice?.others).toHaveLength(2);
  });

  test('is null if nothing can be ranked', () => {
    expect(choose(some, { workload: ['rag-burst'] })).toEqual({ choice: null, ids: null });
    expect(choose(some, { workload: ['summary'] })).toEqual({ choice: null, ids: null });
    expect(choose([])).toEqual({ choice: null, ids: null });
  });

  test('is, for equal counts, the one with a preferred metric, then steady load, then the first id', () => {
    const of = counted({ 'tg256-steady': [1, 1], 'tg128-steady': [1, 1], 'pp512-steady': [1, 0], 'rag-burst': [1, 0] });
    const { choice } = choose(of);
    expect([choice?.id, choice?.others.map(({ id }) => id)]).toEqual([
      'tg128-steady',
      ['pp512-steady', 'tg256-steady', 'rag-burst'],
    ]);
    expect(choose(counted({ 'chatbot-burst': 1, 'chatbot-steady': 1 })).choice?.id).toBe('chatbot-steady');
    expect(choose([...of, ...counted({ 'more-steady': [2, 0] })]).choice?.id).toBe('more-steady');
  });

  test('is, for equal counts within the bounds, the one with more systems in total', () => {
    const of = counted({ '1k-8k-steady': [1, 1, 2], 'chatbot-steady': [1, 1, 3], 'rag-burst': [1, 1, 3] });
    expect(choose(of).choice?.id).toBe('chatbot-steady');
    expect(choose([...of, ...counted({ 'pp512-steady': [1, 2, 1] })]).choice?.id).toBe('pp512-steady');
    expect(choose([...of, ...counted({ 'pp512-steady': [2, 0, 2] })]).choice?.id).toBe('pp512-steady');
  });

  test('is one per shape if the board has the dimension scenario', () => {
    const of = counted({ 'chatbot-burst': 1, 'chatbot-steady': 2, 'rag-steady': [3, 0], 'rag-offline': [3, 2] });
    const idsFor = (filters: Asked) => choose(of, filters, ['system', 'scenario']).ids?.toSorted();
    expect(choose(of, {}, ['scenario', 'gpu']).choice).toBeNull();
    expect(idsFor({})).toEqual(['chatbot-steady', 'rag-offline']);
    expect(idsFor({ regime: ['steady'] })).toEqual(['chatbot-steady', 'rag-steady']);
    expect(idsFor({ workload: ['chatbot-burst', 'rag'] })).toEqual(['chatbot-burst', 'rag-offline']);
    expect(idsFor({ workload: ['summary'] })).toEqual([]);
  });

  test('is not chosen if the board has the dimension workload', () => {
    for (const dimensions of [
      ['workload', 'system'],
      ['scenario', 'workload'],
    ] as const) {
      expect(choose(some, {}, dimensions)).toEqual({ choice: null, ids: null });
    }
  });
});

const anyCounted = fc.uniqueArray(
  fc.record({
    id: fc
      .tuple(fc.constantFrom('chatbot', 'rag', '200-60'), fc.constantFrom(...regimes))
      .map(([shape, regime]) => `${shape}-${regime}`),
    systems: fc.nat({ max: 3 }),
    preferred: fc.nat({ max: 3 }),
    whole: fc.nat({ max: 3 }),
  }),
  { selector: ({ id }) => id },
);
const anyAsked: fc.Arbitrary<Asked> = fc.record(
  {
    workload: fc.subarray(['chatbot', 'rag-steady', '200-60', '200-60-burst', 'summary'], { minLength: 1 }),
    regime: fc.subarray([...regimes], { minLength: 1 }),
  },
  { requiredKeys: [] },
);

test('chooses an allowed workload with the most systems, and lists all others', () => {
  fc.assert(
    fc.property(anyCounted, anyAsked, (of, filters) => {
      const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : Number(a.id > b.id));
      const there = of.filter(({ systems }) => systems > 0);
      const allowed = there.filter(({ id }) => allowsWorkload(filters, id));
      const { choice } = choose(of, filters);
      const best = allowed.find(({ id }) => id === choice?.id);
      expect(best === undefined).toBe(allowed.length === 0);
      if (choice === null || best === undefined) return;
      const regimeOf = ({ id }: { id: string }) => {
        const place = regimes.findIndex((regime) => id.endsWith(`-${regime}`));
        return place === -1 ? regimes.length : place;
      };
      const byTie = (a: { id: string }, b: { id: string }) => regimeOf(a) - regimeOf(b) || byId(a, b);
      for (const one of allowed) {
        const leads = [best.systems - one.systems, best.preferred - one.preferred, best.whole - one.whole];
        const first = leads.find((lead) => lead !== 0);
        expect(first === undefined ? byTie(best, one) <= 0 : first > 0).toBe(true);
      }
      const listed = [{ id: choice.id, systems: choice.systems }, ...choice.others];
      expect(listed.toSorted(byId)).toEqual(there.map(({ id, systems }) => ({ id, systems })).toSorted(byId));
      const { others } = choice;
      expect(others).toEqual(others.toSorted((a, b) => b.systems - a.systems || byTie(a, b)));
    }),
  );
});
