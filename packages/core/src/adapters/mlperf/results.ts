import { findEngine, resolveGpu } from '../../catalogue/index.ts';
import type { Source } from '../../subjects/source.ts';
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
import {
  isObject,
  type JsonObject,
  type JsonRecord,
  recordFinder,
  toClaims,
  within,
} from '../reading/documents/json-records.ts';
import { readEach } from '../reading/tables/read-each.ts';
import { toArtifactText } from '../reading/text/artifact-text.ts';
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

/** A text of a row on one line, limited to the length of a name; null if empty. */
function textOf(row: JsonObject, key: string): string | null {
  const value = row[key];
  const text = typeof value === 'string' ? value.replace(/\s+/g, ' ').trim() : '';
  return text === '' || /^n\/a$/i.test(text) ? null : text.slice(0, 200).trim();
}

function wholeOf(row: JsonObject, key: string): number | null {
  const value = row[key];
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null;
}

/** Model names by submitters of the open division: "llama3_1-70b-fp8_dyn" is Llama 3.1 70B in FP8. */
function modelOf(used: string): { model: string; format: string | null; variant: string | null } {
  const parts =
    /^(llama\d(?:[._]\d)?-\d{1,4}b|[a-z]+-\d{1,2}x\d{1,2}b|[a-z]+-r\d|gpt-oss-\d+b|gptj)(?:[-_](.*))?$/.exec(used);
  if (parts === null) return { model: used, format: null, variant: null };
  const [, name = used, rest = ''] = parts;
  const format = /^(?:fp8|fp4|int8|int4)(?=_|$)/.exec(rest)?.[0] ?? null;
  // The required accuracy and the suite belong to the workload.
  const variant = /^(?:|99|99\.9|edge)$/.test(rest) ? null : rest;
  return { model: name.replace('_', '.'), format, variant };
}

/** GPUs of all nodes by kind: "MI300X (x32), MI325X (x16)" is 48 GPUs of two kinds. */
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

/** A system without accelerators runs on its processors. Its name states the number of sockets: "1-node-2S-GNR_128C". */
function processorsOf(row: JsonObject): { name: string | null; count: number | null } {
  const sockets = Number(/(?:^|-)(\d)S(?:-|$)/.exec(textOf(row, 'Platform') ?? '')?.[1] ?? 0) || null;
  return { name: textOf(row, 'Processor'), count: (sockets ?? 2) * (wholeOf(row, 'Nodes') ?? 1) };
}

/** The engine, the first that the software field names, and its version. */
function engineOf(software: string | null): { name: string | null; version: string | null } {
  const found = [
    ['sglang', /sglang[ -]?v?(\d[\w.+]*)?/i],
    ['vllm', /vllm[ -]?v?(\d[\w.+]*)?/i],
    // The version that follows is that of TensorRT, on which the engine runs.
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

/** The citation format of MLCommons: publication, division, entry, submitter. */
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
    throw unreadable(from, 'log_unreadable', 'The log of the entry has no summary of MLPerf LoadGen.');
  const { result, ignored } = toMlperfResult(block);
  const scenario = textOf(row, 'Scenario');
  const benchmark = textOf(row, 'Model') ?? textOf(row, 'UsedModel') ?? '';
  const asLogged = scenario === 'Interactive' ? 'Server' : scenario;
  if (asLogged !== result.extra.mlperf_scenario) {
    const message = `The scenario is ${scenario} in the table and ${result.extra.mlperf_scenario} in the log.`;
    throw unreadable(from, 'facts_contradict', message, "Give the log of the entry's performance run.");
  }
  const dataset = mlperfDataset(benchmark, scenario ?? '');
  if (dataset === null) {
    const message = `The benchmark "${benchmark.slice(0, 60)}" is not a known language model benchmark.`;
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
 * Entries of an MLPerf Inference results table with their logs: JSON objects with `row`, from the published summary, and
 * `log`, the text of `mlperf_log_summary.txt`. Figures come from the log. Model, hardware and workload come from the row,
 * because only the row distinguishes Server from Interactive.
 */
export const mlperfResults: Adapter = {
  id,
  title: 'MLPerf Inference results',
  kind: 'serving',
  recognises: 'JSON objects with row, a line of a published summary, and log, its mlperf_log_summary.txt',
  command: 'npm run import -- mlperf DIR creates them from a checkout of published results',
  detect: (artifact) => toClaims(id, findEntries(artifact)),
  read: (artifact, claim) => {
    const read = readEach(within(findEntries(artifact), claim), claim.from, readEntry);
    return { tool: { name: 'mlperf loadgen', version: null }, ...read, ...noRemarks };
  },
};
