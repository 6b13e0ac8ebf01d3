import { describe, expect, test } from 'vitest';
import {
  definitionGroup,
  findFamily,
  findMetric,
  type MetricName,
  metricFamilies,
  metricNames,
  metrics,
  onRequestFamilies,
} from './index.ts';
import type { MetricFamily } from './metric.ts';

const families: readonly MetricFamily[] = [...metricFamilies, ...onRequestFamilies];

const sentences = (text: string) => text.split(/(?<=[.?!]) +(?=[A-Z])/);

test('has unique metric names and family bases', () => {
  expect(new Set(metricNames).size).toBe(metricNames.length);
  expect(new Set(families.map((family) => family.base)).size).toBe(families.length);
  // In a filter, a bare latency means its mean, so it must not be the name of a value.
  for (const family of families) {
    if (family.statistics !== null) expect(metricNames).not.toContain(family.base);
  }
});

describe.each(families)('$base', (family) => {
  test('has a title, a description and a formula', () => {
    expect(family.base).toMatch(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/);
    expect(family.title).toMatch(/\S/);
    expect(family.description).toMatch(/^[A-Z].*\.$/s);
    expect(family.formula).toMatch(/\S/);
  });

  test('has a glossary entry of two to five sentences, with its prerequisites', () => {
    expect(family.glossary.length).toBeGreaterThanOrEqual(80);
    expect(family.glossary.length).toBeLessThanOrEqual(900);
    const own = sentences(family.glossary);
    expect(own.length).toBeGreaterThanOrEqual(2);
    expect(own.length).toBeLessThanOrEqual(5);
    for (const sentence of own) expect(sentence).toMatch(/^[A-Z].*[.]$/s);
    // A repeated sentence looks like an error on a page that shows both.
    for (const sentence of sentences(family.description)) expect(own).not.toContain(sentence);
    for (const needed of family.prerequisites) expect(needed).toMatch(/^[a-z].*[^.]$/);
    expect(new Set(family.prerequisites).size).toBe(family.prerequisites.length);
  });

  test('needs only existing metrics', () => {
    for (const base of family.needs) expect(findFamily(base), base).not.toBeNull();
    expect(family.needs).not.toContain(family.base);
  });

  test('has unique formulas', () => {
    const ids = family.definitions.map((definition) => definition.id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { id, title, group } of family.definitions) {
      expect(id).toMatch(/^[a-z][a-z0-9_]*$/);
      expect(title).toMatch(/\S/);
      expect(definitionGroup(family, id)).toBe(group);
    }
    expect(definitionGroup(family, 'no_such_formula')).toBeNull();
    expect(definitionGroup(family, undefined)).toBeNull();
  });

  test('has a unit that matches the end of its name', () => {
    const { base, unit } = family;
    const ending: Record<string, RegExp> = {
      ms: /_ms$/,
      s: /_s$/,
      'tok/s': /_tok_s(_per_gpu)?$/,
      'req/s': /req_s$/,
      'TFLOP/s': /_tflop_s$/,
      'tok/J': /^tok_per_joule$/,
      tok: /_tokens$/,
      GB: /_gb$/,
      W: /_w$/,
      $: /^usd_/,
      requests: /_queue$/,
      '': /^(requests_ok|requests_failed|batch_size|scaling_efficiency|mbu|mfu|speedup_vs_baseline|score|perplexity|kl_divergence)$/,
    };
    expect(base).toMatch(ending[unit] ?? /^$/);
  });
});

test('has no repeated sentence in the glossary', () => {
  const all = families.flatMap((family) => sentences(family.glossary));
  const twice = all.filter((sentence, at) => all.indexOf(sentence) !== at);
  // The two rates of a kernel have the same interpretation, and both entries state it.
  expect(twice).toEqual(['Compare within one operation and one program.']);
});

// Inputs of formulas that are not metrics. Without them, the glossary would claim impossible derivations.
test.each([
  ['output_tok_s_per_gpu', /number of GPUs/],
  ['tok_per_joule', /number of GPUs/],
  ['mbu', /GPU in the catalogue/],
  ['mfu', /model in the catalogue/],
  ['scaling_efficiency', /single user/],
  ['usd_per_mtok_output', /price per GPU-hour/],
  ['speedup_vs_baseline', /baseline/],
  ['max_safe_queue', /limit for the time to first token/],
  ['goodput_req_s', /latency limits/],
])('%s requires %s', (base, needed) => {
  expect(families.find((family) => family.base === base)?.prerequisites.join('; ')).toMatch(needed);
});

test('has the documented statistics for latencies, with lower as better', () => {
  for (const base of ['ttft_ms', 'itl_ms', 'tpot_ms', 'e2e_ms']) {
    const family = findFamily(base);
    expect(family?.statistics).toEqual(['mean', 'p50', 'p90', 'p95', 'p99', 'min', 'max', 'sd']);
    expect(family?.direction).toBe('lower');
  }
});

test.each<[string, MetricName | null]>([
  ['ttft_ms_p99', 'ttft_ms_p99'],
  ['itl_ms', 'itl_ms_mean'],
  ['output_tok_s', 'output_tok_s'],
  ['output_tok_s_mean', null],
  ['itl', null],
  ['ITL_MS', null],
  ['', null],
  ['constructor', null],
  ['__proto__', null],
])('resolves the name %j to %j', (name, found) => {
  expect(findMetric(name)?.name ?? null).toBe(found);
});

test('includes the statistic in a title unless it is the mean', () => {
  expect(findMetric('ttft_ms')?.title).toBe('TTFT');
  expect(findMetric('ttft_ms_p99')?.title).toBe('p99 TTFT');
  expect(findMetric('req_s')?.title).toBe('Requests');
});

test('links every metric to its family', () => {
  for (const { name, family, statistic } of metrics) {
    expect(name).toBe(statistic === null ? family.base : `${family.base}_${statistic}`);
    expect(findFamily(family.base)).toBe(family);
  }
});
