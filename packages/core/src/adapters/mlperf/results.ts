import { findEngine, resolveGpu } from '../../catalogue/index.ts';
import type { Source } from '../../source.ts';
import {
  type Adapter,
  type Fact,
  noFacts,
  noRemarks,
  noScenario,
  type ParsedResult,
  type SystemFacts,
} from '../adapter.ts';
import { unreadable } from '../errors.ts';
import { toArtifactText } from '../reading/artifact-text.ts';
import { isObject, type JsonObject, type JsonRecord, recordFinder, toClaims, within } from '../reading/json-records.ts';
import { readEach } from '../reading/read-each.ts';
import { findMlperfBlocks } from './block.ts';
import { mlperfDataset } from './dataset.ts';
import { toMlperfResult } from './loadgen.ts';

const id = 'mlperf-results';

const isEntry = ({ row, log }: JsonObject) =>
  typeof log === 'string' &&
  isObject(row) &&
  typeof row.UsedModel === 'string' &&
  Object.hasOwn(row, 'Performance_Result');

const findEntries = recordFinder((value) => (isEntry(value) ? 'whole' : null));

const stated = <T>(value: T | null): Fact<T> | null => (value === null ? null : { value, origin: 'stated' });

/** A text of a row, on one line and short as names are; null where it is empty. */
function textOf(row: JsonObject, key: string): string | null {
  const value = row[key];
  const text = typeof value === 'string' ? value.replace(/\s+/g, ' ').trim() : '';
  return text === '' || /^n\/a$/i.test(text) ? null : text.slice(0, 200).trim();
}

function wholeOf(row: JsonObject, key: string): number | null {
  const value = row[key];
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null;
}

/** What a submitter of the open division calls a model: "llama3_1-70b-fp8_dyn" is Llama 3.1 70B in FP8. */
function modelOf(used: string): { model: string; format: string | null; variant: string | null } {
  const parts =
    /^(llama\d(?:[._]\d)?-\d{1,4}b|[a-z]+-\d{1,2}x\d{1,2}b|[a-z]+-r\d|gpt-oss-\d+b|gptj)(?:[-_](.*))?$/.exec(used);
  if (parts === null) return { model: used, format: null, variant: null };
  const [, name = used, rest = ''] = parts;
  const format = /^(?:fp8|fp4|int8|int4)(?=_|$)/.exec(rest)?.[0] ?? null;
  // The accuracy that a result is held to, and the suite, belong to the workload.
  const variant = /^(?:|99|99\.9|edge)$/.test(rest) ? null : rest;
  return { model: name.replace('_', '.'), format, variant };
}

/** GPUs of all nodes, of each kind: "MI300X (x32), MI325X (x16)" are 48 of two kinds. */
function gpusOf(row: JsonObject): { name: string | null; count: number | null; isVirtual: boolean } {
  const text = textOf(row, 'Accelerator');
  const perNode = wholeOf(row, 'a#');
  const nodes = wholeOf(row, 'Nodes') ?? 1;
  if (text === null) return { ...processorsOf(row), isVirtual: false };
  const kinds = [...text.matchAll(/([^,()]+?) \(x(\d{1,5})\)(?:, |$)/g)];
  if (kinds.length > 1) {
    const names = kinds.map(([, name = '']) => resolveGpu(name).id?.toUpperCase() ?? name).sort();
    return { name: names.join(' + '), count: kinds.reduce((sum, [, , n]) => sum + Number(n), 0), isVirtual: false };
  }
  const name = text.replace(/^Virtualized /i, '').replace(/^\[[^\]]*\] /, '');
  return { name, count: perNode === null ? null : perNode * nodes, isVirtual: name !== text && /^virtual/i.test(text) };
}

/** A system without accelerators runs on its processors; its name tells how many sockets it has: "1-node-2S-GNR_128C". */
function processorsOf(row: JsonObject): { name: string | null; count: number | null } {
  const sockets = Number(/(?:^|-)(\d)S(?:-|$)/.exec(textOf(row, 'Platform') ?? '')?.[1] ?? 0) || null;
  return { name: textOf(row, 'Processor'), count: (sockets ?? 2) * (wholeOf(row, 'Nodes') ?? 1) };
}

/** The engine, the first of those that the software names, and its version. */
function engineOf(software: string | null): { name: string | null; version: string | null } {
  const found = [
    ['sglang', /sglang[ -]?v?(\d[\w.+]*)?/i],
    ['vllm', /vllm[ -]?v?(\d[\w.+]*)?/i],
    // The version that follows is that of TensorRT, on which it runs.
    ['tensorrt-llm', /tensorrt/i],
    ['llmboost', /llmboost/i],
    ['pytorch', /pytorch (\d[\w.+]*)?/i],
    ['pytorch', /pytorch/i],
  ] as const;
  const all = software?.includes('LLMBoost') ? found.filter(([name]) => name !== 'vllm') : found;
  for (const [name, pattern] of all) {
    const match = software === null ? null : pattern.exec(software);
    if (match !== null) return { name: findEngine(name)?.id ?? name, version: match[1] ?? null };
  }
  return { name: software, version: null };
}

function systemOf(row: JsonObject): SystemFacts {
  const { model, format, variant } = modelOf(textOf(row, 'UsedModel') ?? '');
  const weights = textOf(row, 'weight_data_types');
  const gpus = gpusOf(row);
  const software = textOf(row, 'Software');
  const engine = engineOf(software);
  const nodes = wholeOf(row, 'Nodes') ?? 1;
  const named = (name: string, value: string | null) => (value === null ? {} : { [name]: value });
  return {
    ...noFacts,
    model: stated(model),
    quantization: stated(weights === null || weights === 'UNSET' ? format : weights),
    gpu: stated(gpus.name),
    gpuCount: stated(gpus.count),
    engine: stated(engine.name),
    engineVersion: stated(engine.version),
    features: {
      ...named('submitter', textOf(row, 'Submitter')),
      ...named('server', textOf(row, 'System')),
      ...named('platform', textOf(row, 'Platform')),
      ...named('software', software),
      ...(nodes > 1 ? { nodes } : {}),
      ...(gpus.isVirtual ? { virtualized: true } : {}),
      ...named('weights', variant),
      ...(textOf(row, 'Category') === 'open' ? { division: 'open' } : {}),
      ...(textOf(row, 'Availability') === 'available' ? {} : named('availability', textOf(row, 'Availability'))),
    },
  };
}

/** How MLCommons asks to be cited: publication, division, entry, submitter. */
function sourceOf(row: JsonObject): Source {
  const division = textOf(row, 'Category') === 'open' ? 'Open' : 'Closed';
  const entry = [textOf(row, 'ID'), textOf(row, 'Submitter')].filter((text) => text !== null).join(', ');
  const url = textOf(row, 'Details');
  return {
    publisher: 'MLCommons',
    title: `MLPerf Inference ${textOf(row, 'version') ?? ''}, ${division}`.replace(' ,', ','),
    url: url !== null && /^https:\/\/[\x21-\x7e]+$/.test(url) ? url : null,
    licence: null,
    entry: entry === '' ? null : entry,
    retrieved_at: null,
  };
}

function readEntry({ value, from, to }: JsonRecord): { result: ParsedResult; ignored: string[] } {
  const { row, log } = value;
  if (!isObject(row) || typeof log !== 'string') throw new Error('not an entry');
  const [block] = findMlperfBlocks(toArtifactText(new TextEncoder().encode(log)));
  if (block === undefined)
    throw unreadable(from, 'log_unreadable', 'The log of the entry holds no summary of MLPerf LoadGen.');
  const { result, ignored } = toMlperfResult(block);
  const scenario = textOf(row, 'Scenario');
  const benchmark = textOf(row, 'Model') ?? textOf(row, 'UsedModel') ?? '';
  const asLogged = scenario === 'Interactive' ? 'Server' : scenario;
  if (asLogged !== result.extra.mlperf_scenario) {
    const message = `The table says ${scenario}, the log says ${result.extra.mlperf_scenario}.`;
    throw unreadable(from, 'facts_contradict', message, "Give the log of the entry's performance run.");
  }
  const dataset = mlperfDataset(benchmark, scenario ?? '');
  if (dataset === null) {
    const message = `The benchmark "${benchmark.slice(0, 60)}" is no language model's that is known here.`;
    throw unreadable(from, 'benchmark_unknown', message);
  }
  return {
    result: {
      ...result,
      system: systemOf(row),
      scenario: { ...noScenario, dataset: { value: dataset, origin: 'stated' } },
      source: sourceOf(row),
      extra: { ...result.extra, mlperf_scenario: scenario ?? 'unknown', mlperf_benchmark: benchmark },
      lines: { from, to },
    },
    ignored,
  };
}

/**
 * Entries of a results table of MLPerf Inference with the logs behind them: JSON objects with `row`, as the published
 * summary has it, and `log`, the text of `mlperf_log_summary.txt`. Figures are the log's; model, hardware and workload the
 * row's, which alone tells Server from Interactive.
 */
export const mlperfResults: Adapter = {
  id,
  title: 'MLPerf Inference results',
  kind: 'serving',
  recognises: 'JSON objects with row, a line of a published summary, and log, its mlperf_log_summary.txt',
  command: 'npm run import -- mlperf DIR makes them of a checkout of published results',
  detect: (artifact) => toClaims(id, findEntries(artifact)),
  read: (artifact, claim) => {
    const read = readEach(within(findEntries(artifact), claim), claim.from, readEntry);
    return { tool: { name: 'mlperf loadgen', version: null }, ...read, ...noRemarks };
  },
};
