import type { MetricName } from '../../metrics/index.ts';
import { type Adapter, noFacts, noRemarks, noResult, noScenario, type ParsedResult } from '../adapter.ts';
import { contextsOf } from '../reading/context/contexts.ts';
import { modelFacts } from '../reading/context/model-name.ts';
import { type RunContext, readRunContext } from '../reading/context/run-context.ts';
import { askedLength } from '../reading/figures/measured-lengths.ts';
import { parseNumber, shiftDecimal } from '../reading/figures/numbers.ts';
import { findAt } from '../reading/text/by-line.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import { loadUnknown } from '../vllm/serving.ts';

const id = 'lmcache-long-doc-qa';

type Label = 'mean TTFT' | 'time' | 'prompt count' | 'successful prompt count';

/** The printed figures of one round. Lines are 1-based and inclusive. */
interface Round {
  from: number;
  to: number;
  name: 'Warmup' | 'Query';
  rows: Map<Label, number>;
  /** The command before it. */
  context: RunContext | null;
}

const rowLine =
  /^\s{0,8}(Warmup|Query) round (mean TTFT|time|prompt count|successful prompt count): (\d{1,9}(?:\.\d{1,9})?)(s?)\s*$/;

const isProgram = ([first = '']: readonly string[]) => /(?:^|\/)long_doc_qa\.py$/.test(first);

/** All rounds in order of appearance. The first line of a round is the mean TTFT. */
const findRounds = cachedPerArtifact((artifact): Round[] => {
  const rounds: Round[] = [];
  for (const line of artifact.linesWith(' round ')) {
    const [, name, label, value = '', unit = ''] = rowLine.exec(artifact.lineAt(line).slice(0, 200)) ?? [];
    const number = parseNumber(value);
    if (name === undefined || number === null || (unit === 's') === (label ?? '').endsWith('count')) continue;
    const last = rounds.at(-1);
    if (label === 'mean TTFT') {
      if (!artifact.lineAt(line + 1).includes(' round ')) continue;
      rounds.push({
        from: line,
        to: line,
        name: name as Round['name'],
        rows: new Map([[label, number]]),
        context: null,
      }); // by the pattern
    } else if (last?.name === name && line === last.to + 1 && !last.rows.has(label as Label)) {
      last.rows.set(label as Label, number); // by the pattern
      last.to = line;
    }
  }
  const found = rounds.filter(({ rows }) => rows.size > 1);
  const contexts = contextsOf(found, (from, to) => readRunContext(artifact, from, to, isProgram, 'long_doc_qa'));
  for (const [index, round] of found.entries()) round.context = contexts[index] ?? null;
  return found;
});

function toLoad(context: RunContext | null, sent: number | undefined): ParsedResult['load'] {
  const flying = context?.number('max_inflight_requests') ?? null;
  if (flying === null || sent === undefined || !Number.isSafeInteger(flying)) return null;
  return flying < sent || sent === 1
    ? { mode: 'concurrency', level: Math.min(flying, sent) }
    : { mode: 'burst', level: sent };
}

function toResult({ from, to, name, rows, context }: Round): ParsedResult {
  const sent = rows.get('prompt count');
  const ok = rows.get('successful prompt count') ?? sent;
  const ttft = rows.get('mean TTFT');
  const found: [MetricName, number | undefined][] = [
    ['ttft_ms_mean', ttft === undefined ? undefined : shiftDecimal(ttft, 3)],
    ['duration_s', rows.get('time')],
    ['requests_ok', ok],
  ];
  const failed = sent !== undefined && ok !== undefined ? sent - ok : 0;
  const metrics: [MetricName, number][] = [
    ...found.filter((entry): entry is [MetricName, number] => (entry[1] ?? 0) > 0),
    ...(failed > 0 ? [['requests_failed', failed] as [MetricName, number]] : []),
  ];
  const load = toLoad(context, sent);
  const repeated =
    'The prompts are those of the previous round, so they may come from a cache: this is not the speed of cold prompts.';
  return {
    ...noResult,
    system: { ...noFacts, ...modelFacts(context?.text('model') ?? null, 'context') },
    scenario: {
      ...noScenario,
      // Documents consist of that many short words, and responses may end early.
      inputTokens: askedLength(context?.number('document_length') ?? null, true),
      outputTokens: askedLength(context?.number('output_len') ?? null, true),
      dataset: { value: `long_doc_qa ${name === 'Query' ? 'query' : 'warmup'} round`, origin: 'stated' },
    },
    load,
    metrics: Object.fromEntries(metrics),
    definitions: metrics.some(([metric]) => metric === 'ttft_ms_mean') ? { ttft_ms: 'send_to_first_token' } : {},
    notes: [
      ...(name === 'Query'
        ? [{ code: 'prefix_cache_hits', severity: 'info' as const, message: repeated, evidence: {} }]
        : []),
      ...(load === null ? [loadUnknown()] : []),
    ],
    lines: { from, to },
  };
}

/**
 * LMCache's `long_doc_qa.py`: it requests every document once to warm up the caches, then again. Each round is a result,
 * because the first round reads the documents and the second one uses the cache.
 *
 * Written by https://github.com/LMCache/LMCache/blob/dev/benchmarks/long_doc_qa/long_doc_qa.py
 */
export const lmcacheLongDocQa: Adapter = {
  id,
  title: 'LMCache long_doc_qa',
  kind: 'serving',
  recognises: 'lines "Query round mean TTFT: Ns", "Query round time: Ns" and "Query round prompt count: N"',
  command:
    '(echo python long_doc_qa.py --model MODEL --max-inflight-requests 4; python long_doc_qa.py --model MODEL --max-inflight-requests 4) | tee result.txt',
  detect: (artifact) => findRounds(artifact).map(({ from, to }) => ({ adapter: id, from, to })),
  read: (artifact, claim) => {
    const tool = { name: 'LMCache long_doc_qa', version: null };
    const { found } = findAt(findRounds(artifact), claim.from);
    if (found === null) return { tool, results: [], ignored: [], ...noRemarks };
    return { tool, results: [toResult(found)], ignored: [], ...noRemarks };
  },
};
