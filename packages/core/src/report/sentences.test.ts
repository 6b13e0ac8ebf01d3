import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatLoad } from '../subjects/load.ts';
import { gridPoints, pointOf, scenarioOf, statistic } from '../testing/report-grid.ts';
import { reportOf } from './index.ts';
import { figureText, listed, say } from './sentence.ts';
import { thresholdsAt } from './thresholds.ts';
import type { Evidence, ReportFinding, ReportPoint } from './types.ts';

const numbersIn = (text: string): string[] => text.match(/\d+(?:\.\d+)?(?:e[+-]?\d+)?/g) ?? [];

/** All texts from which a sentence may use numbers. */
function sourcesOf({ evidence, thresholds, scenarios }: ReportFinding): string[] {
  return [
    ...evidence.flatMap(({ text, scenario, load }) => [text, scenario.title, formatLoad(load)]),
    ...thresholds.map(({ text }) => text),
    ...scenarios.map(({ title }) => title),
  ];
}

/** True if the printed figure equals the figure to its digits. */
function isPrinted({ text, value, unit }: Evidence): boolean {
  const [digits = '', printedUnit = ''] = text.split(' ');
  const factor = printedUnit === '%' ? 100 : printedUnit === 's' && unit === 'ms' ? 1e-3 : 1;
  const printed = Number(digits.replaceAll(',', ''));
  return Math.abs(printed - value * factor) <= Math.abs(value * factor) * 0.05 + Number.MIN_VALUE;
}

const ids = ['chatbot', 'rag', 'agentic', 'tool-calling', 'random-1500-250', 'tg128', '200-60'] as const;
const level = fc.constantFrom(1, 2, 3, 4, 8, 16, 32, 33, 64, 128, 256, 512);
const value = fc.oneof(
  fc.constantFrom(0, 14.3, 19.999, 20, 20.0001, 50, 69.99999, 70, 100, 2999.99, 3000, 3000.01, 1e-9, 1e12),
  fc.double({ min: 0, max: 1e5, noNaN: true }),
);
const given = (metric: string) =>
  fc.option(
    fc
      .record({ mean: value, half: fc.option(value), n: fc.option(fc.integer({ min: 1, max: 9 })) })
      .map(({ mean, half, n }) =>
        statistic(metric, mean, { n, ci95: half === null ? null : [mean - half, mean + half] }),
      ),
    { nil: undefined },
  );
const names = ['ttft_ms_mean', 'itl_ms_mean', 'user_tok_s', 'decode_tok_s', 'output_tok_s', 'prefill_tok_s'] as const;
const point: fc.Arbitrary<ReportPoint> = fc
  .record({
    id: fc.constantFrom(...ids),
    mode: fc.constantFrom('concurrency' as const, 'burst' as const, 'batch' as const, 'rate' as const),
    level,
    metrics: fc.tuple(...names.map(given)),
  })
  .map(({ id, mode, level: at, metrics }) => {
    const present = names.flatMap((name, index) => (metrics[index] === undefined ? [] : [[name, metrics[index]]]));
    return pointOf(scenarioOf(id), [mode, at], Object.fromEntries(present));
  });
const points = fc.uniqueArray(point, {
  maxLength: 25,
  selector: ({ scenario, load }) => `${scenario.id} ${load.mode} ${load.level}`,
});
const limitS = fc.constantFrom(0.01, 0.5, 3, 3.25, 600);

describe('any measurement', () => {
  test('gives sentences without placeholders, and only with numbers from the evidence', () => {
    fc.assert(
      fc.property(points, limitS, (measured, limit) => {
        for (const finding of reportOf(measured, limit).findings) {
          expect(finding.sentence).not.toMatch(/NaN|undefined|null|Infinity|\[object/);
          expect(finding.sentence).toMatch(/^\S.*\.$/);
          const known = new Set(sourcesOf(finding).flatMap(numbersIn));
          expect(numbersIn(finding.sentence).filter((number) => !known.has(number))).toEqual([]);
          for (const item of finding.evidence) expect([item.text, item.value, isPrinted(item)]).toContain(true);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('gives judgements with a threshold, and figures with unit and metric', () => {
    fc.assert(
      fc.property(points, limitS, (measured, limit) => {
        const report = reportOf(measured, limit);
        const known = new Set(report.thresholds.map(({ id }) => id));
        for (const { severity, thresholds, evidence, id } of report.findings) {
          if (severity !== 'info') expect([id, thresholds.length]).not.toEqual([id, 0]);
          for (const threshold of thresholds) expect(known.has(threshold.id)).toBe(true);
          for (const { unit, metric } of evidence) expect(unit !== '' || metric === 'scaling_efficiency').toBe(true);
        }
        expect(new Set(report.findings.map(({ id }) => id)).size).toBe(report.findings.length);
      }),
    );
  });

  test('gives a best value at least as good as every other value of its series', () => {
    fc.assert(
      fc.property(points, (measured) => {
        const { headline } = reportOf(measured);
        const waits = measured.flatMap(({ statistics, load }) =>
          load.mode === 'batch' ? [] : (statistics.ttft_ms_mean?.mean ?? []),
        );
        expect(headline.bestTtft?.value ?? null).toBe(waits.length === 0 ? null : Math.min(...waits));
      }),
    );
  });
});

// A ratio can be finite while its percentage is infinite.
test('gives no efficiency if the single run is too slow to compare', () => {
  for (const mode of ['batch', 'concurrency'] as const) {
    const alone = pointOf(scenarioOf('chatbot'), [mode, 1], { output_tok_s: statistic('output_tok_s', 1e-307) });
    const many = pointOf(scenarioOf('chatbot'), [mode, 8], { output_tok_s: statistic('output_tok_s', 100) });
    const sentences = reportOf([alone, many]).findings.map(({ sentence }) => sentence);
    expect(sentences.join(' ')).not.toMatch(/Infinity|of its single-sequence speed|single-user speed, each/);
  }
});

test('the sentences of the full grid use only numbers from their evidence', () => {
  const { findings } = reportOf(gridPoints);
  expect(findings.length).toBeGreaterThan(12);
  for (const finding of findings) {
    const known = new Set(sourcesOf(finding).flatMap(numbersIn));
    for (const number of numbersIn(finding.sentence)) expect(known).toContain(number);
  }
});

describe('formatted values', () => {
  const { ttft, itlFluid } = thresholdsAt(3);
  const text = (metric: string, unit: string, figure: number, limits = [ttft]) =>
    figureText({ metric, unit, value: figure }, limits);

  test.each([
    ['ttft_ms_mean', 'ms', 189, '189 ms'],
    ['ttft_ms_mean', 'ms', 999.4, '999 ms'],
    ['ttft_ms_mean', 'ms', 8250, '8.25 s'],
    ['ttft_ms_mean', 'ms', 2999.9, '2.9999 s'],
    ['ttft_ms_mean', 'ms', 0, '0 ms'],
    ['itl_ms_mean', 'ms', 5.797, '5.8 ms'],
    ['decode_tok_s', 'tok/s', 9773.6, '9,774 tok/s'],
    ['decode_tok_s', 'tok/s', 123456.7, '123,500 tok/s'],
    ['scaling_efficiency', '', 0.40928, '41 %'],
    ['scaling_efficiency', '', 1.034, '103 %'],
    ['max_safe_queue', 'requests', 1, '1 request'],
  ])('%s in %s: %f is "%s"', (metric, unit, figure, expected) => {
    expect(text(metric, unit, figure)).toBe(expected);
  });

  test('never cross a threshold by rounding', () => {
    fc.assert(
      fc.property(fc.double({ min: 19, max: 21, noNaN: true }), (figure) => {
        const printed = Number(text('itl_ms_mean', 'ms', figure, [itlFluid]).split(' ')[0]);
        expect(Math.sign(printed - 20)).toBe(Math.sign(figure - 20));
      }),
    );
  });
});

test('joins lists with commas and "and"', () => {
  const pieces = ['a', 'b', 'c'].map((text) => say`${text}`);
  expect([0, 1, 2, 3].map((count) => listed(pieces.slice(0, count)).text)).toEqual(['', 'a', 'a and b', 'a, b and c']);
  const letters = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((text) => say`${text}`);
  expect(listed(letters).text).toBe('a, b, c, d, e, f and others');
});
