import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DomainError } from '../../errors.ts';
import { readArtifact } from '../index.ts';

const fixture = (name: string) => readFileSync(new URL(`../../../fixtures/guidellm/${name}`, import.meta.url), 'utf8');
const read = (text: string) => readArtifact(new TextEncoder().encode(text));
const resultsOf = (text: string) => read(text).results;
const refusal = (text: string) => {
  try {
    read(text);
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
  throw new Error('was read');
};
/** The facts of a result, regardless of position. */
const sayings = (text: string) => resultsOf(text).map(({ lines: _, ...rest }) => rest);

const older = fixture('0.2-seconds-under-ms.txt');
const later = fixture('0.3-console.txt');
const boxes = fixture('0.4-boxes.txt');

describe('the console until 0.3', () => {
  test('reads request latencies in seconds, although the header states ms', () => {
    const [synchronous, throughput] = resultsOf(older);
    expect(older).toContain('Req Latency (ms)');
    expect(synchronous?.metrics).toEqual({
      req_s: 0.46,
      output_tok_s: 58.4,
      // 58.4 and 0.46 times 256; the tool prints 292.
      total_tok_s: 176.16,
      ttft_ms_mean: 63.1,
      ttft_ms_p50: 63.1,
      ttft_ms_p99: 72,
      tpot_ms_mean: 16.8,
      tpot_ms_p50: 16.8,
      tpot_ms_p99: 17.4,
      e2e_ms_mean: 2190,
      e2e_ms_p50: 2190,
      e2e_ms_p99: 2270,
      requests_ok: 25,
      requests_failed: 0,
      duration_s: 54.8,
      input_tokens: 6400,
      output_tokens: 3200,
    });
    expect(synchronous?.definitions).toEqual({
      ttft_ms: 'send_to_first_token',
      tpot_ms: 'without_first_token',
      e2e_ms: 'request',
    });
    expect(throughput?.load).toEqual({ mode: 'burst', level: 30 });
    expect(resultsOf(later)[0]?.metrics).toEqual({ ...synchronous?.metrics, total_tok_s: 175.2 });
  });

  test('reads every row as a result with its load', () => {
    expect(resultsOf(older).map(({ load, lines }) => [load?.mode, load?.level, lines.from])).toEqual([
      ['concurrency', 1, 34],
      ['burst', 30, 35],
      ['rate', 0.69, 36],
      ['rate', 1.6, 37],
      ['rate', 2.98, 38],
      ['rate', 3.89, 39],
    ]);
  });

  test('reads the model and the lengths from the metadata, but no address', () => {
    const [result] = resultsOf(older);
    expect(result?.system.model).toEqual({ value: 'example-org/Example-7B-Instruct', origin: 'stated' });
    expect(result?.scenario).toMatchObject({ inputTokens: { value: 256 }, outputTokens: { value: 128 } });
    expect(JSON.stringify(resultsOf(older))).not.toContain('localhost');
    // Without it, the lengths are the measured ones.
    const bare = resultsOf(older.slice(older.indexOf('Benchmarks Info')));
    expect(bare[0]?.system.model).toBeNull();
    expect(bare[0]?.scenario).toMatchObject({ inputTokens: null, lengths: { inputTokens: 256 } });
  });

  test('reads a row of zeros as a run without completed requests', () => {
    const zeros = resultsOf(older).at(-1);
    expect(zeros?.metrics).toEqual({ requests_ok: 0, requests_failed: 0 });
    expect(zeros?.notes.map(({ code }) => code)).toEqual(['no_request_completed']);
  });

  // Container logs are 80 columns wide.
  test('reads lines broken at 80 columns', () => {
    const whole = resultsOf(older);
    expect(sayings(fixture('0.2-broken-at-80.txt'))).toEqual([0, 3].map((index) => sayings(older)[index]));
    expect(whole).toHaveLength(6);
  });

  test('reads the same values from lines broken at any width, or rejects them', () => {
    // A fact with a broken label is missing. Lengths are then the measured ones.
    const figures = (text: string) =>
      JSON.stringify(
        resultsOf(text).map(({ metrics, load, extra, tolerance, notes, scenario }) => [
          ...[metrics, load, extra, tolerance, notes],
          scenario.inputTokens?.value ?? Math.round(scenario.lengths?.inputTokens ?? 0),
          scenario.outputTokens?.value ?? Math.round(scenario.lengths?.outputTokens ?? 0),
        ]),
      );
    const names = new Set(['example-org/Example-7B-Instruct', undefined]);
    const expected = figures(later);
    let same = 0;
    fc.assert(
      fc.property(fc.integer({ min: 40, max: 200 }), fc.boolean(), (width, isTrimmed) => {
        const broken = later
          .split('\n')
          .flatMap((line) => line.match(new RegExp(`.{1,${width}}`, 'g')) ?? [''])
          .map((line) => (isTrimmed ? line.trimEnd() : line));
        try {
          const text = broken.join('\n');
          expect(figures(text)).toBe(expected);
          for (const { system } of resultsOf(text)) expect(names).toContain(system.model?.value);
          same++;
        } catch (error) {
          if (!(error instanceof DomainError)) throw error;
        }
      }),
    );
    expect(same).toBeGreaterThan(50);
  });

  test.each([
    ['a truncated cell', (text: string) => text.replace('2.56|', '2.…|'), 'cell_unreadable'],
    ['a missing cell', (text: string) => text.replace('2.56|', ''), 'row_unreadable'],
    ['an additional cell', (text: string) => text.replace('2.56|', '2.56|  1.00|'), 'row_unreadable'],
    [
      'other rows in the other table',
      (text: string) => text.replace('constant@1.60', 'constant@1.61'),
      'tables_disagree',
    ],
    [
      'a missing row in the other table',
      (text: string) => text.replace(/constant@1.60.*12:00.*\n/, ''),
      'tables_disagree',
    ],
    ['missing figures', (text: string) => text.slice(0, text.indexOf('Benchmarks Stats')), 'block_cut'],
    ['a negative figure', (text: string) => text.replace(' 2.56|', '-2.56|'), 'cell_unreadable'],
  ])('%s', (_, change, code) => {
    expect(change(later)).not.toBe(later);
    expect(refusal(change(later)).faults.map((fault) => fault.code)).toContain(code);
  });

  test('reads two reports in one paste', () => {
    expect(resultsOf(`${later}\n${older}`)).toHaveLength(8);
  });
});

describe('the console since 0.4', () => {
  test('reads medians and p95 of latencies, and means of rates', () => {
    const [first, second] = resultsOf(boxes);
    expect(first?.metrics).toEqual({
      ttft_ms_p50: 75,
      ttft_ms_p95: 82.4,
      tpot_ms_p50: 17.3,
      tpot_ms_p95: 17.9,
      e2e_ms_p50: 2300,
      e2e_ms_p95: 2400,
      req_s: 0.7,
      input_tok_s: 173.4,
      output_tok_s: 86.7,
      total_tok_s: 260.1,
      duration_s: 44.3,
      input_tokens: 7680,
      output_tokens: 3840,
    });
    expect(second?.metrics).toMatchObject({ ttft_ms_p50: 73.1, req_s: 1.5 });
    expect(first?.extra).toMatchObject({ mean_concurrency: 1.5, time_per_output_token_ms_p50: 17.8 });
  });

  test('reads the rates from the log, and has an unknown load without them', () => {
    expect(resultsOf(boxes).map(({ load }) => load)).toEqual([
      { mode: 'rate', level: 0.69 },
      { mode: 'rate', level: 1.6 },
    ]);
    expect(resultsOf(boxes)[0]?.system.model).toEqual({ value: 'example-org/Example-7B-Instruct', origin: 'context' });
    // One rate for two rows belongs to neither.
    for (const text of [boxes.replace('rate=[0.69, 1.6]', 'rate=[0.69]'), boxes.slice(boxes.indexOf('ℹ'))]) {
      expect(resultsOf(text).map(({ load }) => load)).toEqual([null, null]);
      expect(resultsOf(text)[0]?.notes.map(({ code }) => code)).toContain('load_unknown');
    }
  });

  test('reads the later layout, which adds a first output token and counts all requests', () => {
    const [first, second] = resultsOf(fixture('0.7-boxes-of-all-requests.txt'));
    expect(first?.metrics).toMatchObject({ ttft_ms_p50: 63.1, tpot_ms_p50: 16.8, e2e_ms_p95: 2300, req_s: 0.5 });
    expect(first?.load).toEqual({ mode: 'concurrency', level: 1 });
    expect(second?.load).toBeNull();
    expect(second?.notes.map(({ code }) => code)).toContain('throughput_of_all');
    expect(resultsOf(boxes)[0]?.notes).toEqual([]);
  });

  test('rejects tables that list different benchmarks', () => {
    const at = boxes.lastIndexOf('| constant  |');
    const changed = `${boxes.slice(0, at)}| poisson   |${boxes.slice(at + 13)}`;
    expect(refusal(changed).faults.map(({ code }) => code)).toContain('tables_disagree');
  });

  test('reads a single table', () => {
    const [first] = resultsOf(boxes.slice(boxes.indexOf('ℹ Server Throughput')));
    expect(first?.metrics).toEqual({ req_s: 0.7, input_tok_s: 173.4, output_tok_s: 86.7, total_tok_s: 260.1 });
    const [latency] = resultsOf(boxes.slice(boxes.indexOf('ℹ Request Latency'), boxes.indexOf('ℹ Server Throughput')));
    expect(latency?.metrics).toMatchObject({ e2e_ms_p50: 2300 });
    expect(latency?.metrics).not.toHaveProperty('req_s');
  });
});

describe('CSV', () => {
  test('0.3: reads each row as a result, with strategy and model in JSON', () => {
    const { results, ignored } = read(fixture('0.3-sweep.csv'));
    expect(results.map(({ load }) => load)).toEqual([
      { mode: 'concurrency', level: 1 },
      { mode: 'burst', level: 30 },
      { mode: 'rate', level: 1.6 },
    ]);
    expect(results[0]?.metrics).toMatchObject({
      req_s: 0.456196,
      e2e_ms_mean: 2191.56,
      e2e_ms_p95: 2263.093,
      ttft_ms_mean: 63.097687,
      tpot_ms_p99: 17.375157,
      requests_ok: 25,
      output_tokens: 3200,
    });
    expect(results[0]?.system.model?.value).toBe('example-org/Example-7B-Instruct');
    expect(ignored).toContain('Start Time');
  });

  test('since 0.4: reads three header rows, times in seconds and a separate median', () => {
    const [first, second] = resultsOf(fixture('0.4-three-header-rows.csv'));
    expect(first?.metrics).toMatchObject({
      e2e_ms_mean: 2277.789,
      e2e_ms_p50: 2278.307,
      ttft_ms_p50: 75.012982,
      input_tok_s: 173.42018,
      duration_s: 44.285504,
    });
    expect(first?.metrics.tpot_ms_p50).toBe(17.316157);
    expect(second?.load).toEqual({ mode: 'rate', level: 1.6 });
  });

  test('gives equal metrics in both layouts', () => {
    const [, , older] = resultsOf(fixture('0.3-sweep.csv'));
    const [, newer] = resultsOf(fixture('0.4-three-header-rows.csv'));
    const { input_tok_s, ...rest } = newer?.metrics ?? {};
    expect(older?.metrics).toEqual(rest);
    expect(input_tok_s).toBe(371.268318);
  });

  test('reads empty cells of a status without requests since 0.7', () => {
    const { results, tool } = read(fixture('0.7-statuses-vary.csv'));
    expect(tool.version).toBe('0.7.0');
    expect(results.map(({ load }) => load?.level)).toEqual([4, 8]);
    expect(results.map(({ metrics, extra }) => [metrics.requests_failed, extra.requests_incomplete])).toEqual([
      [0, 2],
      [2, 0],
    ]);
  });

  // Until 0.6 the figures of one status were in the columns of another.
  test('rejects a row that does not match its header, even if the lengths are equal', () => {
    const text = fixture('0.5-shifted-by-a-status.refused.csv');
    const [head, , , first, second] = text.split('\n');
    const { faults } = refusal(text);
    expect(faults).toEqual([expect.objectContaining({ code: 'row_unreadable', line: 5 })]);
    expect(faults[0]?.message).toContain('counts no incomplete requests');
    expect(head).toBeDefined();
    expect(first).not.toBe(second);
    expect(refusal(fixture('0.4-row-of-other-statuses.refused.csv')).faults).toEqual([
      expect.objectContaining({ code: 'row_unreadable', line: 5 }),
    ]);
  });

  test('rejects an invalid list of percentiles with its line', () => {
    const text = fixture('0.4-three-header-rows.csv').replace('"[2.', '"[cut, 2.');
    expect(refusal(text).faults[0]).toMatchObject({ code: 'cell_unreadable', line: 4 });
  });

  test('rejects a header without rows', () => {
    const [head] = fixture('0.3-sweep.csv').split('\n');
    expect(refusal(`${head}\n`).faults[0]).toMatchObject({ code: 'table_empty', line: 1 });
  });
});
