import type { MetricName } from '../../metrics/index.ts';
import type { KnownLoad } from '../../subjects/load.ts';
import { type Adapter, noFacts, noRemarks, noResult, type ParsedResult, type ReaderNote } from '../adapter.ts';
import { contextsOf } from '../reading/context/contexts.ts';
import { modelFacts } from '../reading/context/model-name.ts';
import { type RunContext, readRunContext } from '../reading/context/run-context.ts';
import { checkMeasured, type Meaning, readBlockFigures } from '../reading/figures/block-figures.ts';
import { toKey } from '../reading/figures/label-key.ts';
import { shiftDecimal } from '../reading/figures/numbers.ts';
import type { BlockLine } from '../reading/figures/serving-block.ts';
import { findAt } from '../reading/text/by-line.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import { loadUnknown, zeroIsMissing } from '../vllm/serving.ts';
import { findRoundTables, readRoundTable } from './multi-round-csv.ts';

const id = 'lmcache-multi-round-qa';

/** One printed summary. Lines are 1-based and inclusive. */
interface Summary {
  from: number;
  to: number;
  rows: BlockLine[];
  /** The command before it. */
  context: RunContext | null;
}

const units: Record<string, string> = {
  qps: 'reqs/s',
  'processing speed': 'reqs/s',
  'requests on-the-fly': '',
  'input tokens per second': 'tokens/s',
  'output tokens per second': 'tokens/s',
  'average generation throughput (per request)': 'tokens/req/s',
  'average ttft': 's',
  'time range': 's',
};
const meanings: Record<string, Meaning> = {
  qps: { kind: 'extra', name: 'request_rate' },
  'processing speed': { kind: 'metric', name: 'req_s' },
  'requests on-the-fly': { kind: 'extra', name: 'requests_unfinished' },
  'input tokens per second': { kind: 'metric', name: 'input_tok_s' },
  'output tokens per second': { kind: 'metric', name: 'output_tok_s' },
  'average generation throughput (per request)': { kind: 'metric', name: 'user_tok_s' },
  'average ttft': { kind: 'metric', name: 'ttft_ms_mean' },
  'time range': { kind: 'metric', name: 'duration_s' },
};
const rowLine = /^\s{0,8}([A-Z][A-Za-z() -]{2,50}): (inf|nan|[\d.]{1,30})(?: ?(\w{1,8}(?:\/\w{1,8}){0,2}))?\s*$/;
const rangeLine = /^\s{0,8}Time range: [\d.]{1,30} - [\d.]{1,30} \(([\d.]{1,15})s\)\s*$/;
/** Maximum number of lines of a summary, including blank ones. */
const longest = 24;
/** Number of lines from the requested rate to the speed below it. */
const maxGap = 4;

function readRow(text: string, line: number): BlockLine | null {
  const range = rangeLine.exec(text)?.[1];
  if (range !== undefined) return { line, label: 'Time range', key: 'time range', value: range };
  const [, label = '', value = '', unit = ''] = rowLine.exec(text) ?? [];
  const key = toKey(label);
  return Object.hasOwn(units, key) && units[key] === unit ? { line, label, key, value } : null;
}

const isProgram = ([first = '']: readonly string[]) => /(?:^|\/)multi-round-qa\.py$/.test(first);

/** All summaries in order of appearance: the requested rate, and the speed below it. */
const findSummaries = cachedPerArtifact((artifact): Summary[] => {
  const found: Summary[] = [];
  for (const speed of artifact.linesWith('Processing speed: ')) {
    let line = speed - 1;
    while (line > speed - maxGap && artifact.lineAt(line).trim() === '') line--;
    if (line <= (found.at(-1)?.to ?? 0) || !artifact.lineAt(line).includes('QPS: ')) continue;
    const summary: Summary = { from: line, to: line, rows: [], context: null };
    for (let at = line; at < line + longest; at++) {
      const text = artifact.lineAt(at).slice(0, 200);
      if (text.trim() === '') continue;
      const row = readRow(text, at);
      if (row === null || summary.rows.some(({ key }) => key === row.key)) break;
      summary.rows.push(row);
      summary.to = at;
    }
    const has = (key: string) => summary.rows.some((row) => row.key === key);
    if (summary.rows[0]?.key === 'qps' && has('processing speed') && has('requests on-the-fly')) found.push(summary);
  }
  const contexts = contextsOf(found, (from, to) => readRunContext(artifact, from, to, isProgram, 'multi-round-qa'));
  for (const [index, summary] of found.entries()) summary.context = contexts[index] ?? null;
  return found;
});

/** Above this share of the requested rate, the load was an open loop. */
const rateShare = 0.9;

function toLoad(rate: number | undefined, reached: number | undefined): KnownLoad | null {
  if (rate === undefined || rate <= 0 || reached === undefined) return null;
  return reached >= rateShare * rate ? { mode: 'rate', level: rate } : null;
}

function toResult(summary: Summary): { result: ParsedResult; ignored: string[] } {
  const { context } = summary;
  const figures = readBlockFigures(summary.rows, (key) => meanings[key] ?? { kind: 'unknown' });
  const { metrics, extra } = figures;
  const ttft = metrics.get('ttft_ms_mean');
  const notes: ReaderNote[] = [];
  if (ttft !== undefined && ttft > 0) metrics.set('ttft_ms_mean', shiftDecimal(ttft, 3));
  else if (metrics.delete('ttft_ms_mean')) notes.push(zeroIsMissing('ttft_ms'));
  checkMeasured(metrics, summary.from, null);
  for (const [name, value] of metrics) if (value === 0) metrics.delete(name);
  const load = toLoad(extra.request_rate, metrics.get('req_s'));
  const turns = 'The requests were turns of conversations: each includes the previous turns.';
  notes.push({ code: 'multi_turn', severity: 'info', message: turns, evidence: {} });
  if (load === null) {
    const message =
      'The requested rate was not reached or is not stated, so the number of requests in flight is unknown.';
    notes.push(loadUnknown({ request_rate: extra.request_rate ?? null, req_s: metrics.get('req_s') ?? null }, message));
  }
  const definitions: [MetricName, string, string][] = [
    ['ttft_ms_mean', 'ttft_ms', 'send_to_first_token'],
    ['user_tok_s', 'user_tok_s', 'client'],
  ];
  return {
    result: {
      ...noResult,
      system: { ...noFacts, ...modelFacts(context?.text('model') ?? null, 'context') },
      load,
      metrics: Object.fromEntries(metrics),
      definitions: Object.fromEntries(
        definitions.filter(([name]) => metrics.has(name)).map(([, base, definition]) => [base, definition]),
      ),
      extra: { multi_turn: true, ...extra },
      notes,
      lines: { from: summary.from, to: summary.to },
    },
    ignored: figures.ignored,
  };
}

/**
 * `multi-round-qa.py` of LMCache, LMBenchmark and vLLM's production stack: users in conversations at a requested rate. The speed of a request is its
 * tokens divided by the time after the first one. The output does not name the server.
 *
 * Written by https://github.com/LMCache/LMBenchmark/blob/main/synthetic-multi-round-qa/multi-round-qa.py
 */
export const lmcacheMultiRoundQa: Adapter = {
  id,
  title: 'LMCache multi-round-qa',
  kind: 'serving',
  recognises:
    'lines "QPS: N reqs/s", "Processing speed: N reqs/s" and "Requests on-the-fly: N", or CSV with the columns generation_tokens, ttft and question_id',
  command: 'python3 multi-round-qa.py --model MODEL --qps 1 --num-users 10 --num-rounds 5 ... 2>&1 | tee result.txt',
  detect: (artifact) =>
    [...findSummaries(artifact), ...findRoundTables(artifact)].map(({ from, to }) => ({ adapter: id, from, to })),
  read: (artifact, claim) => {
    const tool = { name: 'LMCache multi-round-qa', version: null };
    const table = findRoundTables(artifact).find(({ from }) => from === claim.from);
    if (table !== undefined) {
      // The summary is of the same requests, and states the rate.
      if (findSummaries(artifact).length === 0)
        return { tool, results: [readRoundTable(table)], ignored: ['generation_time'], ...noRemarks };
      const ignored = [`the CSV on line ${table.from}: the printed summary has its figures`];
      return { tool, results: [], ignored, ...noRemarks };
    }
    const { found } = findAt(findSummaries(artifact), claim.from);
    if (found === null) return { tool, results: [], ignored: [], ...noRemarks };
    const { result, ignored } = toResult(found);
    return { tool, results: [result], ignored, ...noRemarks };
  },
};
