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
import { contextsOf } from '../reading/context/contexts.ts';
import { modelFacts } from '../reading/context/model-name.ts';
import { type RunContext, readRunContext } from '../reading/context/run-context.ts';
import { checkMeasured, type Meaning, readBlockFigures } from '../reading/figures/block-figures.ts';
import { isCutFigure } from '../reading/figures/cut-figure.ts';
import { toKey } from '../reading/figures/label-key.ts';
import { latencyName } from '../reading/figures/latency-name.ts';
import { measuredLengths } from '../reading/figures/measured-lengths.ts';
import { parseNumber, shiftDecimal } from '../reading/figures/numbers.ts';
import type { BlockLine } from '../reading/figures/serving-block.ts';
import { findAt } from '../reading/text/by-line.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import { dropZeroFamilies, loadUnknown, toDefinitions } from '../vllm/serving.ts';

const id = 'sglang-bench-multiturn';

/** One printed summary. Lines are 1-based and inclusive. */
interface Summary {
  from: number;
  to: number;
  rows: BlockLine[];
  /** Requested requests per second. */
  rate: number | null;
  /** The command before it. */
  context: RunContext | null;
}

const title = 'Performance metrics summary:';
const totalLine = /^\s{0,8}Total requests: (\d{1,9}) at (\d{1,9}(?:\.\d{1,20})?) requests per second\s*$/;
const figureLine =
  /^\s{0,8}([A-Z][A-Za-z0-9 ]{2,40}): (\S{1,40})(?: (tokens per second|requests per second|tokens))?\s*$/;
/** Maximum number of lines of a summary. */
const longest = 60;

const metrics: Record<string, MetricName> = {
  'total requests': 'requests_ok',
  'input token throughput': 'input_tok_s',
  'output token throughput': 'output_tok_s',
  'request throughput': 'req_s',
  throughput: 'req_s',
};
const extras: Record<string, string> = {
  'average prompt length': 'input_tokens_mean',
  'average output length': 'output_tokens_mean',
  'cache hit rate': 'cache_hit_rate',
};
const families: Record<string, string> = { ttft: 'ttft_ms', itl: 'itl_ms', latency: 'e2e_ms' };

function meaningOf(key: string): Meaning {
  const metric = Object.hasOwn(metrics, key) ? metrics[key] : undefined;
  if (metric !== undefined) return { kind: 'metric', name: metric };
  const extra = Object.hasOwn(extras, key) ? extras[key] : undefined;
  if (extra !== undefined) return { kind: 'extra', name: extra };
  const [, word = '', name = ''] = /^(average|median|max|p\d{1,2}) (ttft|itl|latency)$/.exec(key) ?? [];
  const family = families[name];
  return family === undefined ? { kind: 'unknown' } : latencyName(family, word === 'average' ? 'mean' : word);
}

const isProgram = ([first = '']: readonly string[]) => /(?:^|\/|\.)bench_multiturn(?:\.py)?$/.test(first);

/** All summaries in order of appearance. The first row has the rate, which other programs do not print. */
const findSummaries = cachedPerArtifact((artifact): Summary[] => {
  const found: Summary[] = [];
  for (const line of artifact.linesWith(title)) {
    const [, total = '', rate = ''] = totalLine.exec(artifact.lineAt(line + 1).slice(0, 200)) ?? [];
    if (total === '') continue;
    const rows: BlockLine[] = [{ line: line + 1, label: 'Total requests', key: 'total requests', value: total }];
    let to = line + 1;
    for (; to < line + longest; to++) {
      const [, label = '', value = ''] = figureLine.exec(artifact.lineAt(to + 1).slice(0, 200)) ?? [];
      if (label === '' || meaningOf(toKey(label)).kind === 'unknown') {
        if (
          !/^\s{0,8}P\d{1,2} (?:Prompt|Output) Length: \d{1,9} tokens\s*$/.test(artifact.lineAt(to + 1).slice(0, 200))
        )
          break;
        continue;
      }
      rows.push({ line: to + 1, label, key: toKey(label), value });
    }
    // The cache hit rate is the last line. Without it the paste ends here; latencies and lengths have two decimals.
    const last = rows.at(-1);
    if (last !== undefined && last.key !== 'cache hit rate' && isCutFigure(last.value, 2)) rows.pop();
    found.push({ from: line, to, rows, rate: parseNumber(rate), context: null });
  }
  const contexts = contextsOf(found, (from, to) => readRunContext(artifact, from, to, isProgram));
  for (const [index, summary] of found.entries()) summary.context = contexts[index] ?? null;
  return found;
});

/**
 * Above `rateShare` of the requested rate, the load was an open loop. Above `capShare` of the cap in flight, the cap
 * determined it.
 */
const rateShare = 0.9;
const capShare = 0.8;

function toLoad(
  rate: number | null,
  context: RunContext | null,
  found: ReadonlyMap<MetricName, number>,
): KnownLoad | null {
  const [reached, latencyMs] = [found.get('req_s'), found.get('e2e_ms_mean')];
  if (reached === undefined || latencyMs === undefined || rate === null || rate <= 0) return null;
  const clients = context?.number('num_clients') ?? null;
  const parallel = context?.number('max_parallel') ?? null;
  // A client sends its next turn after the response to the previous one.
  const cap = clients !== null && parallel !== null ? Math.min(clients, parallel) : (clients ?? parallel);
  if (reached >= rateShare * rate) return { mode: 'rate', level: rate, burstiness: 1, maxConcurrency: cap };
  const flying = (reached * latencyMs) / 1000;
  return cap !== null && flying >= capShare * cap ? { mode: 'concurrency', level: cap } : null;
}

function toResult(summary: Summary): { result: ParsedResult; ignored: string[] } {
  const { context } = summary;
  const figures = readBlockFigures(summary.rows, meaningOf);
  const bases = new Map<MetricName, string>();
  // Times are in seconds; the labels have no unit.
  for (const [name, seconds] of figures.metrics) {
    const family = Object.values(families).find((base) => name.startsWith(`${base}_`));
    if (family === undefined) continue;
    bases.set(name, family);
    figures.metrics.set(name, shiftDecimal(seconds, 3));
  }
  checkMeasured(figures.metrics, summary.from, null);
  const zero = dropZeroFamilies(figures.metrics, bases);
  const { cache_hit_rate: hits = 0, input_tokens_mean: input, output_tokens_mean: output } = figures.extra;
  const load = toLoad(summary.rate, context, figures.metrics);
  const notes: ReaderNote[] = [...zero];
  const turns = 'The requests were turns of conversations: each includes the previous turns.';
  notes.push({ code: 'multi_turn', severity: 'info', message: turns, evidence: {} });
  if (hits > 0) {
    const message = `${shiftDecimal(hits, 2)} % of the prompt tokens came from the prefix cache.`;
    notes.push({ code: 'prefix_cache_hits', severity: 'info', message, evidence: { cache_hit_rate: hits } });
  }
  if (load === null) {
    const message =
      'The requested rate was not reached, or this is unknown, so the number of requests in flight is unknown.';
    notes.push(loadUnknown({ request_rate: summary.rate }, message));
  }
  return {
    result: {
      ...noResult,
      system: {
        ...noFacts,
        ...modelFacts(context?.text('model_path', 'model') ?? null, 'context'),
        // It also has a protocol for other servers, which the user must request.
        engine: context?.text('api_format') === 'openai' ? null : { value: 'sglang', origin: 'inferred' },
        features: hits > 0 ? { prefix_caching: true } : {},
      },
      scenario: { ...noScenario, ...measuredLengths(input ?? null, output ?? null) },
      load,
      metrics: Object.fromEntries(figures.metrics),
      definitions: toDefinitions(figures.metrics.keys()),
      extra: {
        multi_turn: true,
        ...(summary.rate === null ? {} : { request_rate: summary.rate }),
        ...(hits > 0 ? { cache_hit_rate: hits } : {}),
      },
      notes,
      lines: { from: summary.from, to: summary.to },
    },
    ignored: figures.ignored,
  };
}

/**
 * SGLang's `bench_multiturn.py`: clients in conversations, each turn sent after the response to the previous one. Times are
 * in seconds with two decimals; the rate is the requested one.
 *
 * Written by https://github.com/sgl-project/sglang/blob/main/benchmark/hicache/bench_multiturn.py
 */
export const sglangBenchMultiturn: Adapter = {
  id,
  title: 'sglang bench_multiturn',
  kind: 'serving',
  recognises: 'lines "Performance metrics summary:" and "Total requests: N at N requests per second"',
  command:
    'python3 benchmark/hicache/bench_multiturn.py --model-path MODEL --disable-auto-run --request-rate 8 | tee result.txt',
  detect: (artifact) => findSummaries(artifact).map(({ from, to }) => ({ adapter: id, from, to })),
  read: (artifact, claim) => {
    const tool = { name: 'sglang bench_multiturn', version: null };
    const { found } = findAt(findSummaries(artifact), claim.from);
    if (found === null) return { tool, results: [], ignored: [], ...noRemarks };
    const { result, ignored } = toResult(found);
    return { tool, results: [result], ignored, ...noRemarks };
  },
};
