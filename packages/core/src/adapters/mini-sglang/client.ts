import type { MetricName } from '../../metrics/index.ts';
import { type Adapter, noFacts, noRemarks, noResult, type ParsedResult, type ReaderNote } from '../adapter.ts';
import { modelFacts } from '../reading/context/model-name.ts';
import { latencyName } from '../reading/figures/latency-name.ts';
import { parseNumber, shiftDecimal } from '../reading/figures/numbers.ts';
import { definitionsOf } from '../reading/figures/report-figures.ts';
import { readEach } from '../reading/tables/read-each.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { findAt } from '../reading/text/by-line.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import { loadUnknown } from '../vllm/serving.ts';

const id = 'mini-sglang-client';
const name = "Mini-SGLang's benchmark client";

/** The lines of one run, 1-based and inclusive. */
interface Printed {
  from: number;
  to: number;
  requests: number;
  /** Time stamps of all requests: one when a request was sent, and one for each chunk. */
  stamps: number;
  inFlight: number | null;
  model: string | null;
  latencies: { family: string; values: [word: string, ms: number][] }[];
  durationS: number;
  perS: { stamps: number; requests: number };
}

const number = String.raw`\s{0,6}([\d.]{1,12})`;
/** Log lines begin with a date and a level. */
const prefix = String.raw`^(?:.{0,60}?\b(?:INFO|DEBUG)\b\s{1,9})?\s{0,8}`;
const statistics = (label: string, unit: string) =>
  new RegExp(
    String.raw`${prefix}${label}:${number}\s{1,2}${unit} \(p50:${number}\s{1,2}${unit}, p90:${number}\s{1,2}${unit}, p99:${number}\s{1,2}${unit}, max:${number}\s{1,2}${unit}\)\s*$`,
  );
const words = ['mean', 'p50', 'p90', 'p99', 'max'];
const counts = new RegExp(String.raw`${prefix}Num requests: #(\d{1,9}), Num tokens: #(\d{1,12})\s*$`);
const families = [
  { family: 'ttft_ms', pattern: statistics('TTFT', 'ms'), places: 0 },
  // The gaps between the chunks of all requests.
  { family: 'itl_ms', pattern: statistics('TPOT', 'ms'), places: 0 },
  { family: 'e2e_ms', pattern: statistics('E2E', 's'), places: 3 },
];
const duration = new RegExp(String.raw`${prefix}Duration:${number} s\s*$`);
const rates = new RegExp(String.raw`${prefix}Throughput:${number} token/s,${number} req/s\s*$`);
const inFlightLine = /Max inflight requests: (\d{1,9}), Max queued requests: \d{1,9}\s*$/;
const modelLine = /Start benchmarking with \d{1,9} requests using model (\S{1,300}?)\.{3}\s*$/;
/** Lines above the figures that may name the model, including progress bars. */
const linesAbove = 40;

function readPrinted(artifact: ArtifactText, from: number): Printed | null {
  const [, requests, stamps] = counts.exec(artifact.lineAt(from)) ?? [];
  const latencies: Printed['latencies'] = [];
  for (const [index, { family, pattern, places }] of families.entries()) {
    const values = pattern
      .exec(artifact.lineAt(from + 1 + index))
      ?.slice(1)
      .map(parseNumber);
    if (values === undefined) return null;
    latencies.push({
      family,
      values: values.flatMap((value, at) => (value === null ? [] : [[words[at] ?? '', shiftDecimal(value, places)]])),
    });
  }
  const seconds = parseNumber(duration.exec(artifact.lineAt(from + 4))?.[1] ?? '');
  const [stampRate = null, requestRate = null] =
    rates
      .exec(artifact.lineAt(from + 5))
      ?.slice(1)
      .map(parseNumber) ?? [];
  if (requests === undefined || seconds === null || stampRate === null || requestRate === null) return null;
  const above = (pattern: RegExp) => {
    for (let line = from - 1; line >= Math.max(1, from - linesAbove); line--) {
      const found = pattern.exec(artifact.lineAt(line))?.[1];
      if (found !== undefined) return found;
      if (rates.test(artifact.lineAt(line))) return null;
    }
    return null;
  };
  return {
    from,
    to: from + 5,
    requests: Number(requests),
    stamps: Number(stamps),
    inFlight: parseNumber(above(inFlightLine) ?? ''),
    model: above(modelLine),
    latencies,
    durationS: seconds,
    perS: { stamps: stampRate, requests: requestRate },
  };
}

const findPrinted = cachedPerArtifact((artifact): Printed[] => {
  const all: Printed[] = [];
  for (const line of artifact.linesWith('Num requests: #')) {
    const printed = readPrinted(artifact, line);
    // One start of the program measures several rates, and names the model once.
    if (printed !== null) all.push({ ...printed, model: printed.model ?? all.at(-1)?.model ?? null });
  }
  return all;
});

function toResult(printed: Printed): ParsedResult {
  const { requests, stamps, inFlight, durationS, perS } = printed;
  const metrics = new Map<MetricName, number>([
    ['requests_ok', requests],
    ['duration_s', durationS],
    ['req_s', perS.requests],
  ]);
  const extra: Record<string, number> = { printed_tok_s: perS.stamps };
  for (const { family, values } of printed.latencies)
    for (const [word, ms] of values) {
      const found = latencyName(family, word);
      if (found.kind === 'metric') metrics.set(found.name, ms);
      else extra[found.name] = ms;
    }
  const notes: ReaderNote[] = [];
  // The program counts the time stamp at which it sent a request as a token.
  const chunks = stamps - requests;
  if (chunks > 0 && durationS > 0) {
    metrics.set('output_tok_s', chunks / durationS);
    const message = `The program counts one token too many per request. The output throughput is that of ${chunks} chunks.`;
    notes.push({ code: 'tokens_are_chunks', severity: 'info', message, evidence: { chunks, printed: perS.stamps } });
  }
  if (inFlight !== null) extra.max_in_flight = inFlight;
  const isBurst = inFlight === requests;
  const message = 'The log does not state at what times the requests were sent.';
  if (!isBurst) notes.push(loadUnknown({}, message));
  return {
    ...noResult,
    system: { ...noFacts, ...modelFacts(printed.model, 'context') },
    load: isBurst ? { mode: 'burst', level: requests } : null,
    metrics: Object.fromEntries(metrics),
    definitions: definitionsOf(metrics, { ttft_ms: 'send_to_first_token', itl_ms: 'per_chunk', e2e_ms: 'request' }),
    extra,
    notes,
    lines: { from: printed.from, to: printed.to },
  };
}

/**
 * The log lines of Mini-SGLang's benchmark client. Its TPOT is the gap between the chunks of all requests, and its tokens are
 * chunks. It measures any server with OpenAI's protocol.
 *
 * Written by https://github.com/sgl-project/mini-sglang/blob/main/python/minisgl/benchmark/client.py
 */
export const miniSglangClient: Adapter = {
  id,
  title: name,
  kind: 'serving',
  recognises: 'log lines "Num requests: #N, Num tokens: #N" and "TTFT: N ms (p50: N ms, ...)"',
  command: 'python benchmark/online/bench_simple.py 2>&1 | tee result.txt',
  detect: (artifact) => findPrinted(artifact).map(({ from, to }) => ({ adapter: id, from, to })),
  read: (artifact, claim) => {
    const { found } = findAt(findPrinted(artifact), claim.from);
    const read = readEach(found === null ? [] : [found], claim.from, (printed) => ({
      result: toResult(printed),
      ignored: [],
    }));
    return { tool: { name, version: null }, ...read, ...noRemarks };
  },
};
