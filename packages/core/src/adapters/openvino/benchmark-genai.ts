import type { Fault } from '../../errors.ts';
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
import { ArtifactError } from '../errors.ts';
import { measuredLengths } from '../reading/figures/measured-lengths.ts';
import { parseNumber } from '../reading/figures/numbers.ts';
import { definitionsOf } from '../reading/figures/report-figures.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { findAt } from '../reading/text/by-line.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import { noContext, type OpenvinoContext, readOpenvinoContext } from './context.ts';

const id = 'openvino-benchmark-genai';

interface Row {
  line: number;
  mean: string;
  sd: string | null;
  unit: string;
}

/** The output of one run. Lines are 1-based and inclusive. */
interface Printed {
  from: number;
  to: number;
  rows: Map<string, Row>;
}

const rowLine =
  /^\s{0,8}(Load time|Generate time|Tokenization time|Detokenization time|Embeddings preparation time|TTFT|TPOT|Throughput) ?: {1,4}([\d.,]{1,20})(?: ± ([\d.,]{1,20}))? (ms\/token|ms|tokens\/s)\s*$/;
const units: Record<string, readonly string[]> = { TPOT: ['ms/token', 'ms'], Throughput: ['tokens/s'] };
const sizeLine = /^\s{0,8}(?:Number of images: ?\d{1,6}, )?(Prompt|Input|Output) token size: ?(\d{1,9})\s*$/;
/** Maximum numbers of rows below the first one, and of size lines above it. */
const longest = 12;

/** All reports in order of appearance. A report begins with the load time and has a TTFT. */
const findPrinted = cachedPerArtifact((artifact): Printed[] => {
  const found: Printed[] = [];
  for (const line of artifact.linesWith('Load time: ')) {
    if (line <= (found.at(-1)?.to ?? 0) || !artifact.lineAt(line + 1).includes('Generate time: ')) continue;
    const rows = new Map<string, Row>();
    let to = line;
    for (let at = line; at < line + longest; at++) {
      const [, label = '', mean = '', sd, unit = ''] = rowLine.exec(artifact.lineAt(at).slice(0, 200)) ?? [];
      if (label === '' || rows.has(label) || !(units[label] ?? ['ms']).includes(unit)) break;
      rows.set(label, { line: at, mean, sd: sd ?? null, unit });
      to = at;
    }
    if (rows.has('Load time') && rows.has('Generate time') && rows.has('TTFT')) found.push({ from: line, to, rows });
  }
  return found;
});

/** Tokens of the prompt and of the response, which newer versions print above the report. */
function readSizes(artifact: ArtifactText, from: number, to: number): Map<string, number> {
  const sizes = new Map<string, number>();
  for (let line = Math.max(from, to - longest); line <= to; line++) {
    const [, word = '', count = ''] = sizeLine.exec(artifact.lineAt(line).slice(0, 200)) ?? [];
    if (word !== '') sizes.set(word, Number(count));
  }
  return sizes;
}

function readRows(rows: Printed['rows']): Map<string, { mean: number; sd: number | null }> {
  const faults: Fault[] = [];
  const values = new Map<string, { mean: number; sd: number | null }>();
  for (const [label, { line, mean, sd }] of rows) {
    const [value, spread] = [parseNumber(mean), sd === null ? null : parseNumber(sd)];
    if (value !== null && (sd === null || spread !== null)) values.set(label, { mean: value, sd: spread });
    else faults.push({ code: 'value_unreadable', line, message: `"${label}" should be a number, found "${mean}".` });
  }
  if (faults.length > 0) throw new ArtifactError(faults);
  return values;
}

function toResult(printed: Printed, context: OpenvinoContext, sizes: Map<string, number>): ParsedResult {
  const values = readRows(printed.rows);
  const [ttft, tpot] = [values.get('TTFT')?.mean, values.get('TPOT')?.mean];
  // For a response of one token, its latency is printed again.
  const isOneToken = tpot !== undefined && tpot === ttft;
  const speed = isOneToken ? undefined : values.get('Throughput')?.mean;
  const found: [MetricName, number | undefined][] = [
    ['ttft_ms_mean', ttft],
    ['tpot_ms_mean', isOneToken ? undefined : tpot],
    ['e2e_ms_mean', values.get('Generate time')?.mean],
    ['decode_tok_s', speed],
    ['user_tok_s', speed],
  ];
  const metrics = found.filter((entry): entry is [MetricName, number] => (entry[1] ?? 0) > 0);
  const definitions: Record<string, string> = {
    ttft_ms: 'prefill_only',
    tpot_ms: 'without_first_token',
    e2e_ms: 'whole_batch',
    decode_tok_s: 'in_process',
    user_tok_s: 'in_process',
  };
  const spread = values.get('Generate time')?.sd ?? 0;
  const notes: ReaderNote[] = [];
  if (isOneToken) {
    const message = 'TPOT equals TTFT: the responses had one token, so the decode speed is unknown.';
    notes.push({ code: 'zero_is_missing', severity: 'info', message, evidence: { tpot_ms: tpot } });
  }
  return {
    ...noResult,
    system: { ...noFacts, ...context },
    scenario: {
      ...noScenario,
      ...measuredLengths(sizes.get('Input') ?? sizes.get('Prompt') ?? null, sizes.get('Output') ?? null),
    },
    load: { mode: 'batch', level: 1 },
    metrics: Object.fromEntries(metrics),
    definitions: definitionsOf(metrics, definitions),
    repeats: spread > 0 ? { n: null, sd: { e2e_ms_mean: spread }, samples: null } : null,
    extra: { load_ms: values.get('Load time')?.mean ?? 0 },
    notes,
    lines: { from: printed.from, to: printed.to },
  };
}

/**
 * OpenVINO GenAI's samples `benchmark_genai` and `benchmark_vlm`: one prompt, repeated a few times, timed in the process.
 * TPOT is the gap between tokens, throughput its inverse.
 *
 * Written by https://github.com/openvinotoolkit/openvino.genai/blob/master/samples/cpp/text_generation/benchmark_genai.cpp
 */
export const openvinoBenchmarkGenai: Adapter = {
  id,
  title: 'OpenVINO benchmark_genai',
  kind: 'serving',
  recognises: 'lines "Load time: N ms", "Generate time: N ± N ms", "TTFT: N ± N ms" and "TPOT: N ± N ms/token"',
  command: 'benchmark_genai -m MODEL_FOLDER -d GPU -n 5 -mt 128 | tee result.txt',
  detect: (artifact) => findPrinted(artifact).map(({ from, to }) => ({ adapter: id, from, to })),
  read: (artifact, claim) => {
    const tool = { name: 'benchmark_genai', version: null };
    const { found, before } = findAt(findPrinted(artifact), claim.from);
    if (found === null) return { tool, results: [], ignored: [], ...noRemarks };
    const [from, to] = [(before?.to ?? 0) + 1, found.from - 1];
    const result = toResult(found, readOpenvinoContext(artifact, from, to) ?? noContext, readSizes(artifact, from, to));
    const ignored = [...found.rows.keys()].filter((label) => /ization time|preparation time/.test(label));
    return { tool, results: [result], ignored, ...noRemarks };
  },
};
