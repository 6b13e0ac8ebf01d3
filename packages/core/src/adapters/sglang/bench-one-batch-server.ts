import { z } from 'zod';
import { quantizationHint } from '../../catalogue/names/quantization-hint.ts';
import type { MetricName } from '../../metrics/index.ts';
import {
  type Adapter,
  noFacts,
  noRemarks,
  noResult,
  noScenario,
  type ParsedResult,
  type ReaderNote,
} from '../adapter.ts';
import { maxResults, tooManyResults } from '../errors.ts';
import { toPlainText } from '../plain-facts.ts';
import {
  countNames,
  hasAny,
  type JsonRecord,
  recordFinder,
  toClaims,
  within,
} from '../reading/documents/json-records.ts';
import { parseAt } from '../reading/documents/zod-faults.ts';
import { shiftDecimal } from '../reading/figures/numbers.ts';
import { countRepetitions } from '../reading/figures/repetitions.ts';
import { definitionsOf } from '../reading/figures/report-figures.ts';
import { readEach } from '../reading/tables/read-each.ts';
import { findAt } from '../reading/text/by-line.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import { findBatchReports, readBatchReport } from './batch-report.ts';

/** A measured figure. NaN and infinities, which Python writes for undefined results, are missing. */
const figure = z.preprocess(
  (value) => (typeof value === 'number' && !Number.isFinite(value) ? null : value),
  z.number().nullable(),
);
const count = z.number().int().positive();

const RecordSchema = z.looseObject({
  run_name: z.string().max(200).transform(toPlainText),
  batch_size: count,
  input_len: z.number().int().nonnegative(),
  output_len: count,
  latency: z.number().positive(),
  output_throughput: figure,
  overall_throughput: figure,
  ttft: figure.optional(),
  last_ttft: figure.optional(),
  input_throughput: figure.optional(),
  last_gen_throughput: figure.optional(),
  acc_length: figure.optional(),
  cache_hit_rate: figure.optional(),
  profile_link: z.unknown().optional(),
});
type BatchRecord = z.infer<typeof RecordSchema>;

const known = new Set(Object.keys(RecordSchema.shape));
const typical = [
  'run_name',
  'batch_size',
  'input_len',
  'output_len',
  'latency',
  'overall_throughput',
  'output_throughput',
];
/** Decode speed divides by the time after the first token. If it is far above the overall rate, that time was almost zero. */
const maxDecodeRatio = 20;

const id = 'sglang-bench-one-batch-server';
const tool = { name: 'sglang bench_one_batch_server', version: null };

const findRecords = recordFinder((value) => {
  // bench_one_batch, which has no server, writes the same keys in addition to its prefill and decode latencies.
  if (hasAny(value, ['prefill_latency', 'median_decode_latency'])) return null;
  const found = countNames(value, typical);
  return found >= typical.length - 1 ? 'whole' : found >= 4 ? 'likely' : null;
});

const hasLastTtft = ({ last_ttft }: BatchRecord) => last_ttft !== undefined && last_ttft !== null;

/**
 * Until 2025 `output_throughput` divided by the whole latency, and since then by the time after the last first token. Files
 * are appended to, and newer versions report that time. Records have the old meaning only if all records of the file fit it.
 */
function isOldMeaning(records: readonly BatchRecord[]): boolean {
  return records.every(({ batch_size, output_len, latency, output_throughput }) => {
    const perSequence = ((output_throughput ?? Number.NaN) * latency) / batch_size;
    return Math.abs(perSequence - output_len) <= output_len / 100;
  });
}

/** The values that repetitions of one point share. */
function configuration({ value }: JsonRecord): string {
  const { run_name: name, batch_size, input_len, output_len, acc_length, cache_hit_rate } = value;
  const features = [acc_length, cache_hit_rate].map((figure) => positive(Number(figure)) !== null);
  return JSON.stringify([quantizationHint(String(name)) ?? name, batch_size, input_len, output_len, features]);
}

const repetitionsOf = cachedPerArtifact((artifact) => countRepetitions(findRecords(artifact), configuration));

/** Whether the rate of a record has the old meaning, which depends on the other records of the artifact. */
const meaningOf = cachedPerArtifact((artifact): ((record: BatchRecord) => boolean) => {
  const all = findRecords(artifact).flatMap(({ value }) => RecordSchema.safeParse(value).data ?? []);
  const newer = isOldMeaning(all.filter(hasLastTtft));
  const older = isOldMeaning(all.filter((record) => !hasLastTtft(record)));
  return (record) => (hasLastTtft(record) ? newer : older);
});

function positive(value: number | null | undefined): number | null {
  return value !== null && value !== undefined && value > 0 ? value : null;
}

function toMetrics(record: BatchRecord, isOld: boolean): { metrics: [MetricName, number][]; notes: ReaderNote[] } {
  const { batch_size: batch, output_len: output, latency } = record;
  const metrics: [MetricName, number | null][] = [
    ['e2e_ms_mean', shiftDecimal(latency, 3)],
    ['output_tok_s', (batch * output) / latency],
    ['total_tok_s', positive(record.overall_throughput)],
    ['prefill_tok_s', positive(record.input_throughput)],
  ];
  const notes: ReaderNote[] = [];
  const firstToken = positive(record.last_ttft ?? record.ttft);
  if (firstToken !== null) metrics.push(['ttft_ms_mean', shiftDecimal(firstToken, 3)]);
  const decode = isOld ? null : positive(record.output_throughput);
  const total = positive(record.overall_throughput);
  if (decode !== null && total !== null && decode > maxDecodeRatio * total) {
    const message = `A decode speed of ${decode} tok/s, with ${total} tok/s overall, is omitted: almost no time was left after the last first token.`;
    notes.push({
      code: 'decode_speed_implausible',
      severity: 'warning',
      message,
      evidence: { output_throughput: decode, overall_throughput: total },
    });
  } else metrics.push(['decode_tok_s', decode]);
  return { metrics: metrics.filter((entry): entry is [MetricName, number] => entry[1] !== null), notes };
}

const definitions: Record<string, string> = {
  e2e_ms: 'whole_batch',
  ttft_ms: 'last_of_batch',
  decode_tok_s: 'client',
  prefill_tok_s: 'client',
};

function toResult(record: BatchRecord, { from, to }: JsonRecord, repetition: number, isOld: boolean): ParsedResult {
  const { metrics, notes } = toMetrics(record, isOld);
  const hint = quantizationHint(record.run_name);
  const accepted = positive(record.acc_length);
  const cached = positive(record.cache_hit_rate);
  const gauge = positive(record.last_gen_throughput);
  if (cached !== null) {
    const message =
      'Part of the prompts came from the prefix cache, so prefill and total rates are not those of cold prompts.';
    notes.push({ code: 'prefix_cache_hits', severity: 'info', message, evidence: { cache_hit_rate: cached } });
  }
  return {
    ...noResult,
    system: {
      ...noFacts,
      quantization: hint === null ? null : { value: hint, origin: 'inferred' },
      engine: { value: 'sglang', origin: 'inferred' },
      features: {
        ...(accepted === null ? {} : { speculative_decoding: true }),
        ...(cached === null ? {} : { prefix_caching: true }),
      },
    },
    scenario: {
      ...noScenario,
      inputTokens: { value: record.input_len, origin: 'stated' },
      outputTokens: { value: record.output_len, origin: 'stated' },
    },
    load: { mode: 'batch', level: record.batch_size },
    repetition,
    metrics: Object.fromEntries(metrics),
    definitions: definitionsOf(metrics, definitions),
    extra: {
      run_name: record.run_name,
      ...(accepted === null ? {} : { acc_length: accepted }),
      ...(cached === null ? {} : { cache_hit_rate: cached }),
      ...(gauge === null ? {} : { last_gen_throughput: gauge }),
    },
    notes,
    lines: { from, to },
  };
}

/**
 * SGLang's `bench_one_batch_server`: static batches sent to a running server, as JSON lines or as the table it reports.
 * Latency is that of the whole batch. `output_tok_s` is computed as batch size x output length / latency. The format itself
 * used this formula for output throughput before that field became a decode speed.
 *
 * Written by https://github.com/sgl-project/sglang/blob/main/python/sglang/bench_one_batch_server.py
 */
export const sglangBenchOneBatchServer: Adapter = {
  id,
  title: 'sglang bench_one_batch_server',
  kind: 'serving',
  recognises:
    'JSON lines with run_name, batch_size, input_len, output_len, latency and overall_throughput, or the table of --show-report',
  command: 'python -m sglang.bench_one_batch_server --model MODEL --result-filename result.jsonl',
  detect: (artifact) => [
    ...toClaims(id, findRecords(artifact)),
    ...findBatchReports(artifact).map(({ from, to }) => ({ adapter: id, from, to })),
  ],
  read: (artifact, claim) => {
    const { found } = findAt(findBatchReports(artifact), claim.from);
    if (found !== null) return { tool, ...readBatchReport(found), ...noRemarks };
    const records = within(findRecords(artifact), claim);
    if (records.length > maxResults) throw tooManyResults(claim.from);
    const [isOld, repetitions] = [meaningOf(artifact), repetitionsOf(artifact)];
    const read = readEach(records, claim.from, (found) => {
      const record = parseAt(RecordSchema, found.value, found.from);
      const ignored = Object.keys(record).filter((key) => !known.has(key));
      return { result: toResult(record, found, repetitions.get(found) ?? 1, isOld(record)), ignored };
    });
    return { tool, ...read, ...noRemarks };
  },
};
