import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { type ExplorerState, readState, stateHref } from './state.ts';

const read = (query: string) => readState(new URLSearchParams(query));

describe('the state of the explorer', () => {
  it('defaults to throughput per GPU over per-user speed, by GPU', () => {
    expect(read('')).toMatchObject({ x: 'user_tok_s', y: 'output_tok_s_per_gpu', by: 'gpu', curves: 'frontier' });
    expect(stateHref(read(''))).toBe('/explore');
  });

  it('keeps unknown parameters as filters', () => {
    expect(read('workload=8k-1k-steady&gpu=h100&gpu=h200&by=gpu').filters).toEqual([
      ['workload', '8k-1k-steady'],
      ['gpu', 'h100'],
      ['gpu', 'h200'],
    ]);
  });

  it.each(['zoom=1,2,3', 'zoom=2,1,3,4', 'zoom=a,b,c,d', 'zoom=1,2,,4', 'limit=fast', 'by=colour', 'curves=all'])(
    'ignores %s',
    (query) => expect(stateHref(read(query))).toBe('/explore'),
  );

  test.each([
    [
      'a new axis drops the limit of the old one',
      'x=itl_ms_mean&old_x=user_tok_s&limit=50&old_limit=50',
      { limit: null },
    ],
    ['the same axis keeps it', 'x=user_tok_s&old_x=user_tok_s&limit=50&old_limit=50', { limit: 50 }],
    ['a new axis keeps a new limit', 'x=itl_ms_mean&old_x=user_tok_s&limit=20&old_limit=50', { limit: 20 }],
    ['a new axis keeps a first limit', 'x=itl_ms_mean&old_x=user_tok_s&limit=20', { limit: 20 }],
    ['a new colour drops the hidden names', 'by=engine&old_by=gpu&hide=H200', { hidden: [] }],
    ['the same colour keeps them', 'by=engine&old_by=engine&hide=vLLM', { hidden: ['vLLM'] }],
    ['form fields are not filters', 'x=itl_ms_mean&old_x=user_tok_s&old_by=gpu&by=gpu&old_limit=5', { filters: [] }],
  ])('%s', (_, query, state) => expect(read(query)).toMatchObject(state));

  test('has a colour for each system only if systems are selected', () => {
    expect(read('by=system').by).toBe('gpu');
    expect(read('by=system&system=sys_a&system=sys_b').by).toBe('system');
  });

  test.each([
    ['all models', 'model=all', '/explore?model=all', true],
    ['all models, with colours by model', 'by=model&model=all', '/explore?by=model', true],
    ['a model that the page chose', 'model=gpt-oss-120b&old_model=gpt-oss-120b', '/explore', false],
    ['another model', 'model=deepseek-r1&old_model=gpt-oss-120b', '/explore?model=deepseek-r1', false],
  ])('reads %s', (_, query, href, allModels) => {
    expect(stateHref(read(query))).toBe(href);
    expect(read(query).allModels).toBe(allModels);
  });

  test('is restored from its URL', () => {
    const positive = fc.integer({ min: 1, max: 9999 });
    const ends = fc.tuple(positive, positive).map(([low, width]): [number, number] => [low, low + width]);
    const states: fc.Arbitrary<ExplorerState> = fc.record({
      x: fc.constantFrom('user_tok_s', 'ttft_ms_p99'),
      y: fc.constantFrom('output_tok_s_per_gpu', 'tok_per_joule'),
      by: fc.constantFrom('gpu' as const, 'engine' as const),
      curves: fc.constantFrom('frontier' as const, 'systems' as const, 'points' as const),
      xScale: fc.constantFrom('auto' as const, 'log' as const),
      yScale: fc.constantFrom('auto' as const, 'linear' as const),
      hidden: fc.uniqueArray(fc.string({ minLength: 1, maxLength: 8 })),
      zoom: fc.option(
        fc.record({ x: ends, y: ends }).filter(({ x, y }) => [...x, ...y].every((value) => value < 9999)),
      ),
      limit: fc.option(positive),
      allModels: fc.constant(false),
      pin: fc.option(fc.string({ minLength: 1 }).filter((text) => text === text.trim())),
      filters: fc.array(
        fc.tuple(
          fc.constantFrom('gpu', 'model', 'max_itl_ms'),
          fc.string({ minLength: 1 }).filter((text) => text.trim() !== ''),
        ),
      ),
    });
    fc.assert(
      fc.property(states, (state) => {
        const { search } = new URL(stateHref(state), 'http://localhost');
        expect(readState(new URLSearchParams(search))).toEqual(state);
      }),
    );
  });
});
