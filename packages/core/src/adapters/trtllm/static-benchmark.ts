import type { Fault } from '../../errors.ts';
import type { MetricName } from '../../metrics/index.ts';
import { type Adapter, noFacts, noRemarks, noResult, noScenario, type ParsedResult } from '../adapter.ts';
import { ArtifactError } from '../errors.ts';
import { modelFacts } from '../reading/context/model-name.ts';
import { isCutFigure, isLastLine } from '../reading/figures/cut-figure.ts';
import { parseNumber } from '../reading/figures/numbers.ts';
import { definitionsOf } from '../reading/figures/report-figures.ts';
import { readEach } from '../reading/tables/read-each.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { findAt } from '../reading/text/by-line.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';

const id = 'trtllm-static-benchmark';
const name = "TensorRT-LLM's gptSessionBenchmark and benchmark.py";

/** The line of one run: its names and values. */
interface Printed {
  from: number;
  to: number;
  values: Map<string, string>;
}

const printedLine = /^[\s#]{0,8}\[BENCHMARK\] ((?:model_name|batch_size) .{10,2000})$/;
const needed = ['batch_size', 'input_length', 'output_length', 'latency(ms)'];

const findPrinted = cachedPerArtifact((artifact): Printed[] => {
  if (!artifact.has('latency(ms)')) return [];
  return artifact.linesWith('[BENCHMARK] ').flatMap((line) => {
    const words = printedLine.exec(artifact.lineAt(line))?.[1]?.trim().split(/\s+/) ?? [];
    const values = new Map<string, string>();
    for (let at = 0; at + 1 < words.length; at += 2) values.set(words[at] ?? '', words[at + 1] ?? '');
    return needed.every((key) => values.has(key)) ? [{ from: line, to: line, values }] : [];
  });
});

const figures: Record<string, MetricName> = {
  'latency(ms)': 'e2e_ms_mean',
  'percentile95(ms)': 'e2e_ms_p95',
  'percentile99(ms)': 'e2e_ms_p99',
  tokens_per_sec: 'output_tok_s',
  tokensPerSec: 'output_tok_s',
  generation_tokens_per_second: 'decode_tok_s',
};
const extras: Record<string, string> = {
  'gpu_peak_mem(gb)': 'peak_memory_gb',
  'generation_time(ms)': 'decode_ms',
};
const facts = new Set([...needed, 'model_name', 'world_size', 'precision', 'quantization']);
const definitions = { e2e_ms: 'whole_batch', decode_tok_s: 'in_process' };

/** Without quantization the number format of the weights is the quantization. Other modes are names of the program. */
function quantizationOf(values: ReadonlyMap<string, string>): string | null {
  const mode = values.get('quantization');
  if (mode?.includes('FP8_QDQ')) return 'fp8';
  return mode === undefined || mode === 'QuantMode.0' ? (values.get('precision') ?? null) : null;
}

function readPrinted(
  artifact: ArtifactText,
  { from, to, values }: Printed,
): { result: ParsedResult; ignored: string[] } {
  const metrics = new Map<MetricName, number>();
  const extra: Record<string, number> = {};
  const ignored: string[] = [];
  const faults: Fault[] = [];
  // The Python program prints up to three decimals, the other one two.
  const decimals = values.has('model_name') ? 3 : 2;
  const last = isLastLine(artifact, to) ? [...values.keys()].at(-1) : undefined;
  for (const [label, text] of values) {
    if (label === last && isCutFigure(text, decimals)) continue;
    const metric = Object.hasOwn(figures, label) ? figures[label] : undefined;
    const other = Object.hasOwn(extras, label) ? extras[label] : undefined;
    if (metric === undefined && other === undefined) {
      if (!facts.has(label)) ignored.push(label);
      continue;
    }
    const number = parseNumber(text);
    if (number !== null && number >= 0) {
      // A memory of 0 was not measured.
      if (number > 0 && metric !== undefined) metrics.set(metric, number);
      else if (number > 0 && other !== undefined) extra[other] = number;
    } else if (text !== 'None') {
      const message = `"${label}" should be a number, found "${text.slice(0, 60)}".`;
      faults.push({ code: 'value_unreadable', line: from, message });
    }
  }
  const whole = (key: string) => {
    const number = parseNumber(values.get(key) ?? '');
    return number !== null && Number.isSafeInteger(number) && number > 0 ? number : null;
  };
  const batch = whole('batch_size');
  const latency = metrics.get('e2e_ms_mean');
  if (faults.length === 0 && (batch === null || latency === undefined)) {
    const message = `Line ${from} has no latency or no batch size.`;
    faults.push({ code: 'block_cut', line: from, message, hint: 'Copy the whole line.' });
  }
  if (faults.length > 0) throw new ArtifactError(faults);
  const output = whole('output_length');
  // The last line of a paste may have been cut before its rate.
  if (last === undefined && !metrics.has('output_tok_s') && batch !== null && output !== null && latency !== undefined)
    metrics.set('output_tok_s', (1000 * batch * output) / latency);
  const named = modelFacts(values.get('model_name') ?? null, 'stated');
  const quantization = quantizationOf(values);
  const gpus = whole('world_size');
  const length = (tokens: number | null) => (tokens === null ? null : { value: tokens, origin: 'stated' as const });
  const result: ParsedResult = {
    ...noResult,
    system: {
      ...noFacts,
      ...named,
      quantization: quantization === null ? named.quantization : { value: quantization, origin: 'stated' },
      gpuCount: gpus === null ? null : { value: gpus, origin: 'stated' },
      engine: { value: 'tensorrt-llm', origin: 'stated' },
    },
    scenario: { ...noScenario, inputTokens: length(whole('input_length')), outputTokens: length(output) },
    load: batch === null ? null : { mode: 'batch', level: batch },
    metrics: Object.fromEntries(metrics),
    definitions: definitionsOf(metrics, definitions),
    extra,
    lines: { from, to },
  };
  return { result, ignored };
}

/**
 * The line that TensorRT-LLM's benchmarks of 2023 and 2024 print for each static batch. The latency is that of the whole
 * batch. Tokens per second count generated tokens over the latency, or over the time after the first token.
 *
 * Written by https://github.com/NVIDIA/TensorRT-LLM/blob/v0.10.0/benchmarks/cpp/gptSessionBenchmark.cpp and
 * https://github.com/NVIDIA/TensorRT-LLM/blob/v0.10.0/benchmarks/python/gpt_benchmark.py
 */
export const trtllmStaticBenchmark: Adapter = {
  id,
  title: name,
  kind: 'serving',
  recognises: 'a line "[BENCHMARK] batch_size N input_length N output_length N latency(ms) N"',
  command: 'gptSessionBenchmark --engine_dir FOLDER --batch_size 1 --input_output_len "128,128" | tee result.txt',
  detect: (artifact) => findPrinted(artifact).map(({ from, to }) => ({ adapter: id, from, to })),
  read: (artifact, claim) => {
    const { found } = findAt(findPrinted(artifact), claim.from);
    const read = readEach(found === null ? [] : [found], claim.from, (printed) => readPrinted(artifact, printed));
    return { tool: { name, version: null }, ...read, ...noRemarks };
  },
};
