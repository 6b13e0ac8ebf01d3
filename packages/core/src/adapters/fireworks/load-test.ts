import type { MetricName } from '../../metrics/index.ts';
import type { KnownLoad } from '../../subjects/load.ts';
import {
  type Adapter,
  noFacts,
  noRemarks,
  noResult,
  noScenario,
  type ParsedResult,
  type ReaderNote,
} from '../adapter.ts';
import { ArtifactError } from '../errors.ts';
import { modelFacts } from '../reading/context/model-name.ts';
import { checkMeasured, valueRepeated } from '../reading/figures/block-figures.ts';
import { askedLength, measuredLengths } from '../reading/figures/measured-lengths.ts';
import { parseNumber } from '../reading/figures/numbers.ts';
import { definitionsOf, totalOf } from '../reading/figures/report-figures.ts';
import { readEach } from '../reading/tables/read-each.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { findAt } from '../reading/text/by-line.ts';
import { withServer } from '../serving/server-command.ts';
import { loadUnknown } from '../vllm/serving.ts';
import { findSummaries, type Summary } from './summaries.ts';

const id = 'fireworks-load-test';
const name = "Fireworks' load_test.py";

/** Engines with a separate protocol. Other providers are protocols or services. */
const engines: Record<string, string> = { vllm: 'vllm', tgi: 'tgi' };
const facts = new Set(['Provider', 'Model', 'Generation Tokens', 'Stream', 'Concurrency']);
const unused = new Set(['Temperature', 'Logprobs']);

const figures: Record<string, MetricName> = {
  'Time To First Token': 'ttft_ms_mean',
  'Total Latency': 'e2e_ms_mean',
  'Num Requests': 'requests_ok',
  Qps: 'req_s',
};
const extras: Record<string, string> = {
  // The time after the first chunk divided by all tokens, including the first: not one of our metrics.
  'Latency Per Token': 'decode_ms_per_output_token',
  'Prompt Tokens': 'prompt_tokens',
  'Num Tokens': 'num_tokens',
};

/** "4" users, or "QPS 50.0 constant". */
function toLoad(text: string): KnownLoad | null {
  const [, rate, kind] = /^QPS ([\d.]{1,12}) (constant|uniform|exponential)$/.exec(text) ?? [];
  const level = parseNumber(rate ?? text);
  if (level === null || level <= 0) return null;
  if (rate === undefined) return Number.isSafeInteger(level) ? { mode: 'concurrency', level } : null;
  return { mode: 'rate', level, ...(kind === 'exponential' ? { burstiness: 1 } : {}) };
}

function readSummary({ from, to, rows, repeated }: Summary): { result: ParsedResult; ignored: string[] } {
  const metrics = new Map<MetricName, number>();
  const found: Record<string, number> = {};
  const ignored: string[] = [];
  const faults = repeated.map(({ label, value, line }) =>
    valueRepeated(label, rows.get(label)?.value ?? '', value, line),
  );
  for (const [label, { value, line }] of rows) {
    if (facts.has(label)) continue;
    const metric = Object.hasOwn(figures, label) ? figures[label] : undefined;
    const extra = Object.hasOwn(extras, label) ? extras[label] : undefined;
    if (metric === undefined && extra === undefined) {
      if (!unused.has(label)) ignored.push(label);
      continue;
    }
    const number = parseNumber(value);
    if (number !== null && number >= 0) {
      if (extra !== undefined) found[extra] = number;
      else if (metric !== undefined && number > 0) metrics.set(metric, number);
    } else if (value !== '') {
      const message = `"${label}" should be a number, found "${value.slice(0, 60)}".`;
      faults.push({ code: 'value_unreadable', line, message });
    }
  }
  if (faults.length > 0) throw new ArtifactError(faults);
  checkMeasured(metrics, from, null);
  const text = (label: string) => rows.get(label)?.value ?? '';
  const { prompt_tokens: prompt = null, num_tokens: answer = null, ...extra } = found;
  const ok = metrics.get('requests_ok') ?? null;
  const totals: [MetricName, number | null][] = [
    // A run with a failed request prints no summary.
    ['requests_failed', 0],
    ['output_tokens', totalOf(answer, ok)],
    ['input_tokens', totalOf(prompt, ok)],
  ];
  for (const [metric, total] of totals) if (total !== null) metrics.set(metric, total);
  const load = toLoad(text('Concurrency'));
  const notes: ReaderNote[] = load === null ? [loadUnknown()] : [];
  if (text('Stream') === 'False')
    notes.push({ code: 'not_streamed', severity: 'info', message: 'The responses were not streamed.', evidence: {} });
  const engine = engines[text('Provider')];
  const result: ParsedResult = {
    ...noResult,
    system: {
      ...noFacts,
      ...modelFacts(text('Model'), 'stated'),
      engine: engine === undefined ? null : { value: engine, origin: 'inferred' },
    },
    scenario: {
      ...noScenario,
      outputTokens: askedLength(parseNumber(text('Generation Tokens')), false),
      ...measuredLengths(prompt, answer),
    },
    load,
    metrics: Object.fromEntries(metrics),
    definitions: definitionsOf(metrics, { ttft_ms: 'send_to_first_token', e2e_ms: 'request' }),
    extra,
    notes,
    lines: { from, to },
  };
  return { result, ignored };
}

const summariesAt = (artifact: ArtifactText, line: number) => {
  const { found } = findAt(findSummaries(artifact), line);
  return found === null ? [] : [found];
};

/**
 * The summary of Fireworks' load test, which runs in Locust. Times are means in ms. A number of users sends without pauses;
 * a rate is in the same line. The first token is the first chunk, which may have no text.
 *
 * Written by https://github.com/fw-ai/benchmark/blob/main/llm_bench/load_test.py
 */
export const fireworksLoadTest: Adapter = {
  id,
  title: name,
  kind: 'serving',
  recognises: 'a block under "= Summary =" with lines such as "Provider", "Total Latency" and "Qps"',
  command: 'locust -t 1min -u 8 -r 8 -p 512 -o 128 --provider vllm -H URL | tee result.txt (with load_test.py)',
  detect: (artifact) => findSummaries(artifact).map(({ from, to }) => ({ adapter: id, from, to })),
  read: (artifact, claim) => ({
    tool: { name, version: null },
    ...readEach(summariesAt(artifact, claim.from), claim.from, (summary) => {
      const { result, ignored } = readSummary(summary);
      return { result: withServer(result, artifact, summary), ignored };
    }),
    ...noRemarks,
  }),
};
