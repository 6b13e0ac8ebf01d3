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
import { unreadable } from '../errors.ts';
import { contextsOf } from '../reading/context/contexts.ts';
import { measuredLengths } from '../reading/figures/measured-lengths.ts';
import { parseNumber } from '../reading/figures/numbers.ts';
import { definitionsOf } from '../reading/figures/report-figures.ts';
import { meanOf } from '../reading/figures/samples.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { findAt } from '../reading/text/by-line.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import { type BatchMeaning, readBatchMeaning } from './batch-meaning.ts';
import { noContext, type OpenvinoContext, readOpenvinoContext } from './context.ts';

const id = 'openvino-llm-bench';

/** The line of averages of one prompt. */
interface Average {
  from: number;
  to: number;
  prompt: string;
  inputTokens: number | null;
  first: string;
  second: string;
  /** Number of parallel sequences, from the unit "ms/16tokens". */
  batch: number;
  throughput: string;
  unit: string;
  /** Facts in the log before it. */
  context: OpenvinoContext;
}

/** Spelled "lantency" until the end of 2024. */
const averageLine =
  /^\s{0,8}\[ INFO \] \[Average\] (?:P|Prompt)\[(\d{1,6})\](?:L\[\d{1,6}\])? (?:Input token size: (\d{1,9}), )?1st token lan?tency: (NA|[\d.]{1,20} ms)(?:\/\d{0,6}tokens?)?, 2nd token lan?tency: (NA|[\d.]{1,20} ms)(?:\/(\d{0,6})tokens?)?, 2nd tokens throughput: (NA|[\d.]{1,20})(?: (\w{1,20}\/s))?\s*$/;
const iterationLine =
  /^\s{0,8}\[ INFO \] \[(\d{1,6})\](?:\[P(\d{1,6})\])? Input token size: \d{1,9}, Output size: (\d{1,9}), Infer count: \d{1,9}, /;
/** Number of lines before the averages that may contain the iterations. */
const runLines = 400;

/** All average lines in order of appearance. */
const findAverages = cachedPerArtifact((artifact): Average[] => {
  const found = artifact.linesWith('[Average] P').flatMap((line): Average[] => {
    const text = artifact.lineAt(line);
    const parts = text.length > 500 ? null : averageLine.exec(text);
    if (parts === null) return [];
    const [, prompt = '', input, first = '', second = '', batch = '', throughput = '', unit = ''] = parts;
    const inputTokens = input === undefined ? null : Number(input);
    const sequences = batch === '' ? 1 : Number(batch);
    return [
      {
        from: line,
        to: line,
        prompt,
        inputTokens,
        first,
        second,
        batch: sequences,
        throughput,
        unit,
        context: noContext,
      },
    ];
  });
  const contexts = contextsOf(found, (from, to) => readOpenvinoContext(artifact, from, to));
  for (const [index, average] of found.entries()) average.context = contexts[index] ?? noContext;
  return found;
});

/** Tokens of each response to a prompt, without the warm-up. */
function readOutputs(artifact: ArtifactText, average: Average): number[] {
  const outputs: number[] = [];
  for (let line = Math.max(1, average.from - runLines); line < average.from; line++) {
    const text = artifact.lineAt(line);
    if (text.length > 1000 || !text.includes('Output size: ')) continue;
    const [, iteration = '', prompt = '0', size = ''] = iterationLine.exec(text) ?? [];
    if (iteration === '1' && prompt === average.prompt) outputs.length = 0;
    if (iteration !== '' && iteration !== '0' && prompt === average.prompt) outputs.push(Number(size));
  }
  return outputs;
}

const ms = (text: string) => parseNumber(text.replace(/ ms$/, '')) ?? undefined;

const dividedTwice = (batch: number): ReaderNote => ({
  code: 'batch_counted_twice',
  severity: 'info',
  message: `This version of llm_bench divides the time of a step by the batch of ${batch} before it computes the throughput. We multiplied the time and divided the throughput by ${batch}.`,
  evidence: { batch },
});

/** What the averages of a batch count, and an error if that is unknown. */
function meaningOf(artifact: ArtifactText, average: Average): BatchMeaning {
  const { batch, from, prompt, context } = average;
  if (batch === 1) return { second: 'step', firstIsPlain: true };
  const latencies = { first: ms(average.first), second: ms(average.second), batch };
  const version = context.engineVersion?.value ?? null;
  const log = [Math.max(1, from - runLines), from] as const;
  const meaning = readBatchMeaning(artifact, log, prompt, latencies, version);
  if (meaning !== null || latencies.second === undefined) return meaning ?? { second: 'step', firstIsPlain: true };
  throw unreadable(
    from,
    'batch_figures_unclear',
    `The averages on line ${from} are of a batch of ${batch}. Versions of llm_bench divide them differently, and no line "First infer latency: ..., other infers latency: ..." before them shows how.`,
    'Send the complete log of llm_bench, from the line with its model path.',
  );
}

function toResult(artifact: ArtifactText, average: Average): ParsedResult {
  const { batch, unit } = average;
  const meaning = meaningOf(artifact, average);
  const share = meaning.second === 'token' ? batch : 1;
  const second = ms(average.second);
  const throughput = unit === 'tokens/s' ? (parseNumber(average.throughput) ?? undefined) : undefined;
  const decode = throughput === undefined ? undefined : throughput / share;
  const found: [MetricName, number | undefined][] = [
    ['ttft_ms_mean', meaning.firstIsPlain ? ms(average.first) : undefined],
    ['tpot_ms_mean', second === undefined ? undefined : second * share],
    ['decode_tok_s', decode],
    ['user_tok_s', decode === undefined ? undefined : decode / batch],
  ];
  const metrics = found.filter((entry): entry is [MetricName, number] => (entry[1] ?? 0) > 0);
  if (metrics.length === 0 || batch === 0) {
    const message = `The averages on line ${average.from} have no figure above 0: nothing was measured.`;
    throw unreadable(average.from, 'nothing_measured', message);
  }
  const definitions: Record<string, string> = {
    ttft_ms: 'prefill_only',
    tpot_ms: 'without_first_token',
    decode_tok_s: 'in_process',
    user_tok_s: 'in_process',
  };
  const outputs = readOutputs(artifact, average);
  // For a batch, some versions print the tokens of all prompts, others those of one.
  const [input, output] = batch > 1 ? [null, null] : [average.inputTokens, outputs.length > 0 ? meanOf(outputs) : null];
  return {
    ...noResult,
    system: { ...noFacts, ...average.context },
    scenario: { ...noScenario, ...measuredLengths(input, output) },
    load: { mode: 'batch', level: batch },
    metrics: Object.fromEntries(metrics),
    definitions: definitionsOf(metrics, definitions),
    repeats: outputs.length > 0 ? { n: outputs.length, sd: {}, samples: null } : null,
    extra: { prompt: Number(average.prompt) },
    notes: meaning.second === 'token' ? [dividedTwice(batch)] : [],
    lines: { from: average.from, to: average.to },
  };
}

/**
 * OpenVINO's `llm_bench`: each prompt repeated a few times in the process, and a line of averages for each. The second token
 * represents all tokens after the first. Its latency is that of one step; its throughput is that of the whole batch.
 *
 * Written by https://github.com/openvinotoolkit/openvino.genai/blob/master/tools/llm_bench/llm_bench_utils/metrics_print.py
 */
export const openvinoLlmBench: Adapter = {
  id,
  title: 'OpenVINO llm_bench',
  kind: 'serving',
  recognises:
    'lines "[ INFO ] [Average] P[0] Input token size: N, 1st token latency: N ms, 2nd token latency: N ms/token, 2nd tokens throughput: N tokens/s"',
  command: 'python benchmark.py -m MODEL_FOLDER -d GPU -n 3 -ic 128 2>&1 | tee result.txt',
  detect: (artifact) => findAverages(artifact).map(({ from, to }) => ({ adapter: id, from, to })),
  read: (artifact, claim) => {
    const tool = { name: 'llm_bench', version: null };
    const averages = findAverages(artifact);
    const { found } = findAt(averages, claim.from);
    if (found === null) return { tool, results: [], ignored: [], ...noRemarks };
    const result = toResult(artifact, found);
    const ignored = found.unit === 'tokens/s' || found.unit === '' ? [] : ['2nd tokens throughput'];
    if (found.first !== 'NA' && result.metrics.ttft_ms_mean === undefined) ignored.push('1st token latency');
    return { tool, results: [result], ignored, ...noRemarks };
  },
};
