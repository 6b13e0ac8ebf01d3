import type { Fault } from '../../errors.ts';
import { recompute } from '../../records/recompute.ts';
import { type Adapter, noFacts, noRemarks, noScenario, type ParsedResult, type ReaderNote } from '../adapter.ts';
import { toModelName } from '../reading/context/model-name.ts';
import { type JsonRecord, recordFinder, toClaims, within } from '../reading/documents/json-records.ts';
import { definitionsOf } from '../reading/figures/report-figures.ts';
import { type ReadOne, readEach } from '../reading/tables/read-each.ts';
import { findAt } from '../reading/text/by-line.ts';
import { findRequestFiles, type RequestFile, readRequests } from './requests.ts';
import { type AskedLength, type LlmperfSummary, readLlmperfSummary } from './summary.ts';

const id = 'llmperf';

const findSummaries = recordFinder((value) => {
  if (!Object.hasOwn(value, 'num_concurrent_requests')) return null;
  return Object.keys(value).some((name) => name.startsWith('results_ttft_s_')) ? 'whole' : null;
});

/** Its inter-token latency is the whole latency divided by all tokens, including the first. */
const formulas = { ttft_ms: 'send_to_first_token', tpot_ms: 'with_first_token', e2e_ms: 'request' };

const foreignTokens: ReaderNote = {
  code: 'tokens_of_another_tokenizer',
  severity: 'info',
  message:
    "llmperf counts tokens with Llama's tokenizer, regardless of the model, and computes rates per token from that count.",
  evidence: {},
};

const blank = { kind: 'serving', repetition: null, repeats: null, limits: null } as const;

function lengthFact({ tokens, varies }: AskedLength): ParsedResult['scenario']['inputTokens'] {
  return tokens === null ? null : { value: tokens, origin: varies ? 'inferred' : 'stated' };
}

function toResult(summary: LlmperfSummary, { from, to }: JsonRecord): ParsedResult {
  const { figures, concurrency } = summary;
  const model = summary.model === null ? null : toModelName(summary.model);
  return {
    ...blank,
    system: { ...noFacts, model: model === null ? null : { value: model, origin: 'stated' } },
    scenario: { ...noScenario, inputTokens: lengthFact(summary.input), outputTokens: lengthFact(summary.output) },
    load: concurrency === null || concurrency === 0 ? null : { mode: 'concurrency', level: concurrency },
    metrics: Object.fromEntries(figures.metrics),
    definitions: definitionsOf(figures.metrics, formulas),
    requests: null,
    extra: figures.extra,
    notes: [foreignTokens],
    measuredAt: summary.measuredAt,
    lines: { from, to },
  };
}

/** Requests without a send time give latencies but no rates. */
function readFile(file: RequestFile): ReadOne {
  const { from, to } = file;
  const faults: Fault[] = [];
  const ignored = new Set<string>();
  const requests = readRequests(file, faults, ignored);
  if (faults.length === 0 && requests.every(({ error }) => error !== null)) {
    const message = `0 of ${requests.length} requests succeeded: nothing was measured.`;
    faults.push({ code: 'nothing_measured', line: from, message });
  }
  const { figures, definitions } = recompute(requests, null, {});
  const load: ReaderNote = {
    code: 'load_unknown',
    severity: 'warning',
    message: 'The file of single requests does not state how many were in flight.',
    evidence: {},
  };
  const result: ParsedResult = {
    ...blank,
    system: noFacts,
    scenario: noScenario,
    load: null,
    metrics: Object.fromEntries(figures.flatMap(({ name, value }) => (value === null ? [] : [[name, value]]))),
    definitions,
    requests,
    extra: {},
    notes: [load, foreignTokens],
    measuredAt: null,
    lines: { from, to },
  };
  return { result, ignored, faults };
}

/**
 * Ray's `llmperf`: the summary of a run and the file of single requests, both in seconds. Its inter-token latency divides
 * the whole latency by all tokens. It also measures provider endpoints on undisclosed hardware.
 *
 * Written by https://github.com/ray-project/llmperf/blob/main/token_benchmark_ray.py
 */
export const llmperf: Adapter = {
  id,
  title: id,
  kind: 'serving',
  recognises:
    'a JSON summary with num_concurrent_requests and results_ttft_s_..., or a list of requests with ttft_s, end_to_end_latency_s and error_code',
  command: 'python token_benchmark_ray.py --model MODEL --results-dir results',
  detect: (artifact) => [
    ...toClaims(id, findSummaries(artifact)),
    ...findRequestFiles(artifact).map(({ from, to }) => ({ adapter: id, from, to })),
  ],
  read: (artifact, claim) => {
    const { found } = findAt(findRequestFiles(artifact), claim.from);
    const read =
      found !== null
        ? readEach([found], claim.from, readFile)
        : readEach(within(findSummaries(artifact), claim), claim.from, (record) => {
            const summary = readLlmperfSummary(record);
            const { ignored, faults } = summary.figures;
            return { result: toResult(summary, record), ignored, faults };
          });
    return { tool: { name: id, version: null }, ...read, ...noRemarks };
  },
};
