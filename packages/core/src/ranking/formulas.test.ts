import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DomainError } from '../errors.ts';
import { findMetric, type Metric, type MetricName } from '../metrics/index.ts';
import { askedGroups, type CountedGroups, chooseGroups, describeDefinition, findGroup, groupsOf } from './formulas.ts';

function metricOf(name: MetricName): Metric {
  const metric = findMetric(name);
  if (metric === null) throw new Error(`no metric ${name}`);
  return metric;
}

const decode = metricOf('decode_tok_s');
const ttft = metricOf('ttft_ms_mean');
const itl = metricOf('itl_ms_p99');
const outputTokS = metricOf('output_tok_s');
const idsOf = (chosen: readonly ({ group: string } | null)[]) => chosen.map((one) => one?.group ?? null);

describe('the groups of a metric', () => {
  test('are those of its formulas, in the order of the registry', () => {
    expect(groupsOf(decode)).toEqual([
      { group: 'client', ids: ['client'] },
      { group: 'in_process', ids: ['in_process'] },
    ]);
    expect(groupsOf(itl).map(({ group, ids }) => [group, ids.length > 1])).toEqual([['smoothness', true]]);
    expect(groupsOf(outputTokS)).toEqual([]);
  });

  test('are found by their name or by the id of a formula', () => {
    expect(findGroup(ttft, 'request')).toEqual({ group: 'request', ids: ['send_to_first_token'] });
    expect(findGroup(ttft, 'send_to_first_token')?.group).toBe('request');
    expect(findGroup(itl, 'from_tpot')?.group).toBe('smoothness');
    expect(findGroup(itl, 'client')).toBeNull();
  });
});

describe('requested formulas', () => {
  test('are not those whose values are not ranked', () => {
    expect(() => askedGroups([metricOf('e2e_ms_mean')], 'run')).toThrow(
      'The formula "run" is not ranked. It grows with the number of requests in the run.',
    );
    expect(() => askedGroups([metricOf('e2e_ms_mean')], 'from_run_start')).toThrow(DomainError);
    expect(idsOf(askedGroups([metricOf('e2e_ms_mean')], 'whole_batch'))).toEqual(['batch']);
  });

  test('apply to each metric that has them', () => {
    expect(askedGroups([decode, ttft], null)).toEqual([null, null]);
    expect(idsOf(askedGroups([decode, ttft], 'in_process'))).toEqual(['in_process', null]);
    expect(idsOf(askedGroups([outputTokS, ttft], 'last_of_batch'))).toEqual([null, 'batch']);
    expect(askedGroups([], 'client')).toEqual([]);
  });

  test.each<[Metric[], string, string]>([
    [
      [decode, ttft],
      'Unknown formula "gaps" of Decode speed and TTFT.',
      'Formulas: client, in_process, request, schedule, batch, prefill.',
    ],
    [[outputTokS], `Unknown formula "gaps" of ${outputTokS.title}.`, 'There is only one formula. Omit definition.'],
  ])('are rejected if no metric has them', (metrics, message, hint) => {
    const refusal = (() => {
      try {
        return askedGroups(metrics, 'gaps');
      } catch (error) {
        return error;
      }
    })();
    expect(refusal).toBeInstanceOf(DomainError);
    expect(refusal).toMatchObject({
      code: 'request_invalid',
      message,
      faults: [{ code: 'definition_unknown', parameter: 'definition', message, hint }],
    });
  });
});

describe('the formulas of a board', () => {
  const choose = (metrics: readonly Metric[], counted: readonly [groups: string[], systems: number][]) =>
    idsOf(
      chooseGroups(
        metrics,
        counted.map(([groups, systems]) => ({ groups, systems })),
      ),
    );

  test('are those of the most systems, and the preferred ones if counts are equal', () => {
    expect(
      choose(
        [decode],
        [
          [['in_process'], 2],
          [['client'], 1],
        ],
      ),
    ).toEqual(['in_process']);
    expect(
      choose(
        [decode],
        [
          [['in_process'], 2],
          [['client'], 2],
        ],
      ),
    ).toEqual(['client']);
    expect(
      choose(
        [decode],
        [
          [['in_process'], 1],
          [['client'], 0],
        ],
      ),
    ).toEqual(['in_process']);
  });

  test('are recorded formulas before unrecorded ones', () => {
    expect(
      choose(
        [decode],
        [
          [[''], 9],
          [['in_process'], 1],
        ],
      ),
    ).toEqual(['in_process']);
    expect(choose([decode], [[[''], 9]])).toEqual([null]);
    expect(choose([outputTokS], [[[''], 9]])).toEqual([null]);
    expect(choose([decode], [])).toEqual([null]);
    expect(choose([], [])).toEqual([]);
  });

  test('are chosen for all metrics together', () => {
    const counted: [string[], number][] = [
      [['client', 'batch'], 3],
      [['in_process', 'request'], 4],
      [['client', 'request'], 2],
      [['client', ''], 9],
    ];
    expect(choose([decode, ttft], counted)).toEqual(['in_process', 'request']);
    expect(
      choose(
        [decode, outputTokS],
        [
          [['client', ''], 1],
          [['in_process', ''], 2],
        ],
      ),
    ).toEqual(['in_process', null]);
    expect(
      choose(
        [decode, ttft],
        [
          [['in_process', 'request'], 1],
          [['client', 'prefill'], 1],
        ],
      ),
    ).toEqual(['client', 'prefill']);
    expect(
      choose(
        [decode, ttft],
        [
          [['client', 'batch'], 1],
          [['client', 'schedule'], 1],
        ],
      ),
    ).toEqual(['client', 'schedule']);
  });

  test('do not depend on the order of counts', () => {
    const anyGroups = fc.tuple(
      fc.constantFrom('client', 'in_process', ''),
      fc.constantFrom('request', 'schedule', 'batch', 'prefill', ''),
    );
    const anyCounted = fc.uniqueArray(
      fc.record({ groups: anyGroups, systems: fc.nat({ max: 3 }) }) as fc.Arbitrary<CountedGroups>,
      { selector: ({ groups }) => groups.join() },
    );
    fc.assert(
      fc.property(anyCounted, (counted) => {
        const recorded = ({ groups }: CountedGroups) => groups.filter((group) => group !== '').length;
        const there = counted.filter(({ systems }) => systems > 0);
        const most = Math.max(0, ...there.map(recorded));
        const whole = there.filter((one) => recorded(one) === most);
        const systems = Math.max(0, ...whole.map((one) => one.systems));
        const chosen = chooseGroups([decode, ttft], counted);
        const found = whole.find(({ groups }) => groups.join() === idsOf(chosen).join());
        expect(found?.systems ?? 0).toBe(systems);
        expect(chooseGroups([decode, ttft], counted.toReversed())).toEqual(chosen);
      }),
    );
  });
});

describe('a board reports', () => {
  const counted = new Map([
    ['prefill', 1],
    ['batch', 4],
    ['request', 2],
    ['schedule', 0],
    ['', 7],
  ]);
  const [request, prefill] = [findGroup(ttft, 'request'), findGroup(ttft, 'prefill')];

  test('the ranked formula, and others by number of systems', () => {
    expect(describeDefinition(ttft, counted, { chosen: request, asked: null })).toEqual({
      id: 'request',
      because: 'most_systems',
      systems: 2,
      others: [
        { id: 'batch', systems: 4 },
        { id: 'prefill', systems: 1 },
      ],
    });
    const level = new Map([...counted.keys()].map((group) => [group, 1] as const));
    const described = describeDefinition(ttft, level, { chosen: prefill, asked: null });
    expect(described?.others.map(({ id }) => id)).toEqual(['request', 'schedule', 'batch']);
  });

  test('that a formula was requested, even if no system has it', () => {
    const chosen = findGroup(ttft, 'schedule');
    expect(describeDefinition(ttft, counted, { chosen, asked: chosen })).toMatchObject({
      id: 'schedule',
      because: 'asked',
      systems: 0,
      others: [{ id: 'batch' }, { id: 'request' }, { id: 'prefill' }],
    });
  });

  test('nothing if none was chosen', () => {
    expect(describeDefinition(outputTokS, new Map([['', 3]]), { chosen: null, asked: null })).toBeNull();
  });
});
