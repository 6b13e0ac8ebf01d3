import type { Fault } from '../../errors.ts';
import { type Adapter, noFacts, noRemarks, noResult, noScenario, type ParsedResult } from '../adapter.ts';
import { ArtifactError } from '../errors.ts';
import { modelFacts } from '../reading/context/model-name.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { findAt } from '../reading/text/by-line.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';

const id = 'koboldcpp-benchmark';

/** One run as printed, with the texts of its labels. Lines are 1-based and inclusive. */
interface Run {
  from: number;
  to: number;
  /** True for a row of the file, whose figures have no units. */
  isRow: boolean;
  labels: ReadonlyMap<string, string>;
}

/** The columns of the file that `--benchmark FILE` writes, which are the labels of the console. */
const columns = [
  'Timestamp',
  'Backend',
  'Layers',
  'Model',
  'MaxCtx',
  'GenAmount',
  'ProcessingTime',
  'ProcessingSpeed',
  'GenerationTime',
  'GenerationSpeed',
  'TotalTime',
] as const;
const number = String.raw`(\d{1,9}(?:\.\d{1,6})?)`;
/** A row names the library in its second column, so it is recognized without its header. */
const csvRow = new RegExp(
  String.raw`^\s{0,8}(\d{4}-\d\d-\d\d [\d:.+]{8,24}),(koboldcpp[\w.-]{0,40}),(-?\d{1,4}|Autofit),([^,]{1,200}),(\d{1,9}),(\d{1,9}),${number},${number},${number},${number},${number}(?:,(.{0,4000}))?\s*$`,
);
const labelled =
  /^\s{0,8}(Flags|Timestamp|Backend|Layers|Model|MaxCtx|GenAmount|\w{5,10}(?:Time|Speed)): {0,8}(\S.{0,4000}?)\s*$/;
const title = /^\s{0,8}Benchmark Completed - v(\S{1,20}) Results:\s*$/;
const rule = /^\s{0,8}[-=]{3,}\s*$/;
/** Most lines from the first line of a block to its first speed, with some margin. */
const mostAbove = 14;

function readRow(text: string, line: number): Run | null {
  const found = csvRow.exec(text);
  if (found === null) return null;
  const labels = new Map<string, string>(columns.map((name, index) => [name, found[index + 1] ?? '']));
  const [, output = '', flags = ''] = /^([^,"]{0,400}),?(.*)$/.exec(found[columns.length + 1] ?? '') ?? [];
  labels.set('Output', output).set('Flags', flags);
  return { from: line, to: line, isRow: true, labels };
}

/** The block around the line of the prompt speed. */
function readBlock(artifact: ArtifactText, line: number, after: number): Run {
  const labels = new Map<string, string>();
  const add = (at: number) => {
    const [, name = '', value = ''] = labelled.exec(artifact.lineAt(at)) ?? [];
    if (name !== '' && !labels.has(name)) labels.set(name, value);
    return name !== '';
  };
  add(line);
  let from = line;
  for (let at = line - 1; at > Math.max(after, line - mostAbove); at--) {
    const version = title.exec(artifact.lineAt(at))?.[1];
    if (version !== undefined) labels.set('version', version);
    if (version === undefined && !rule.test(artifact.lineAt(at)) && !add(at)) break;
    from = at;
    if (version !== undefined) break;
  }
  let to = line;
  while (to < artifact.lines.length && /^\s{0,8}(?:Generation|Total)/.test(artifact.lineAt(to + 1)) && add(to + 1))
    to++;
  const output = /^\s{0,8}Output: ?(.{0,400})/.exec(artifact.lineAt(to + 1))?.[1];
  if (output !== undefined) labels.set('Output', output);
  return { from, to: output === undefined ? to : to + 1, isRow: false, labels };
}

const findRuns = cachedPerArtifact((artifact): Run[] => {
  const runs: Run[] = artifact.linesWith(',koboldcpp').flatMap((line) => readRow(artifact.lineAt(line), line) ?? []);
  let after = 0;
  for (const line of artifact.linesWith('ProcessingSpeed: ')) {
    if (!/^\s{0,8}ProcessingSpeed: {0,8}[\d.]{1,12}T\/s\s*$/.test(artifact.lineAt(line))) continue;
    const run = readBlock(artifact, line, after);
    after = run.to;
    runs.push(run);
  }
  return runs.sort((a, b) => a.from - b.from);
});

/** The figure of a label. A truncated line of a block lacks the unit. */
function figureOf({ labels, isRow }: Run, name: string, unit: 's' | 'T/s'): number | null {
  const [, digits = '', found = ''] = /^(\d{1,9}(?:\.\d{1,6})?)(s|T\/s)?$/.exec(labels.get(name) ?? '') ?? [];
  return found === (isRow ? '' : unit) && Number(digits) > 0 ? Number(digits) : null;
}

const wholeOf = ({ labels }: Run, name: string) => {
  const text = labels.get(name) ?? '';
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
};

/** CUDA and Metal are those that the GPU implies. */
const backends = ['vulkan', 'clblast', 'hipblas'];

/** `--quantkv` was a number before 2026. */
const cacheTypes: ReadonlyMap<string, string> = new Map([
  ['1', 'q8_0'],
  ['2', 'q4_0'],
  ['bf16', 'bf16'],
  ['q8_0', 'q8_0'],
  ['q5_1', 'q5_1'],
  ['q4_0', 'q4_0'],
]);

/**
 * Whether flash attention is on. It is the default since `--noflashattention` replaced `--flashattention`. Image generation has
 * a separate option. Null for the default of older versions, off.
 */
function flashAttentionIn(flags: string): boolean | null {
  const [, negated, value] = /(?:^|[ ,{'])(no)?flashattention'?(?:=|: )(True|False)/i.exec(flags) ?? [];
  if (negated !== undefined) return value === 'False';
  return value === 'True' ? true : null;
}

function toFeatures({ labels }: Run): Record<string, string | number | boolean> {
  const backend = backends.find((name) => labels.get('Backend')?.includes(name));
  const layers = Number(labels.get('Layers') ?? -1);
  const flags = labels.get('Flags') ?? '';
  const flash = flashAttentionIn(flags);
  const cache = cacheTypes.get(/'quantkv': '?(\w{1,5})'?[,}]|\bKvCache=(\d)/.exec(flags)?.slice(1).find(Boolean) ?? '');
  const experts = Number(/'moecpu': (\d{1,4})/.exec(flags)?.[1] ?? 0);
  const cacheOnCpu = /'lowvram': True|\['lowvram'|, 'lowvram'/.test(flags);
  return {
    ...(backend === undefined ? {} : { backend }),
    ...(layers >= 0 && layers < 99 ? { n_gpu_layers: layers } : {}),
    ...(flash === null ? {} : { flash_attn: flash }),
    ...(cache === undefined ? {} : { type_k: cache }),
    // Without flash attention, only the keys are quantized.
    ...(cache === undefined || flash !== true ? {} : { type_v: cache }),
    ...(experts > 0 ? { n_cpu_moe: experts } : {}),
    ...(cacheOnCpu ? { no_kv_offload: true } : {}),
    ...(experts > 0 || cacheOnCpu ? { offload: true } : {}),
    ...(/'draftmodel': '[^']/.test(flags) ? { speculative_decoding: true } : {}),
  };
}

/** The benchmark's own prompt fills the context. The tool prints more of the response to another prompt. */
function isOwnPrompt({ labels }: Run): boolean {
  const hasPrompt = /'prompt': '[^']/.test(labels.get('Flags') ?? '');
  return !hasPrompt && (labels.get('Output') ?? '').length <= 9;
}

function toResult(run: Run): ParsedResult {
  const prefill = figureOf(run, 'ProcessingSpeed', 'T/s');
  const decode = figureOf(run, 'GenerationSpeed', 'T/s');
  if (prefill === null || decode === null) {
    const message = `The benchmark that begins on line ${run.from} lacks ${prefill === null ? 'ProcessingSpeed' : 'GenerationSpeed'}.`;
    const hint = 'Send the whole block, from "Benchmark Completed" to "Output".';
    const fault: Fault = { code: 'block_cut', line: run.from, message, hint };
    throw new ArtifactError([fault]);
  }
  const [context, output] = [wholeOf(run, 'MaxCtx'), wholeOf(run, 'GenAmount')];
  const input = context !== null && output !== null && context > output ? context - output : null;
  const length = (value: number | null) =>
    value === null || value === 0 || !isOwnPrompt(run) ? null : ({ value, origin: 'stated' } as const);
  const seconds = { process_s: figureOf(run, 'ProcessingTime', 's'), generate_s: figureOf(run, 'GenerationTime', 's') };
  const version = run.labels.get('version');
  const time = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)\S{0,8}\+00:00$/.exec(run.labels.get('Timestamp') ?? '');
  return {
    ...noResult,
    system: {
      ...noFacts,
      ...modelFacts(run.labels.get('Model') ?? null, 'stated'),
      engine: { value: 'koboldcpp', origin: 'stated' },
      engineVersion: version === undefined ? null : { value: version, origin: 'stated' },
      features: toFeatures(run),
    },
    scenario: { ...noScenario, inputTokens: length(input), outputTokens: length(output) },
    load: { mode: 'batch', level: 1 },
    metrics: { prefill_tok_s: prefill, user_tok_s: decode },
    definitions: { prefill_tok_s: 'in_process', user_tok_s: 'in_process' },
    extra: Object.fromEntries(
      Object.entries(seconds).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
    ),
    measuredAt: time === null ? null : `${time[1]}T${time[2]}Z`,
    lines: { from: run.from, to: run.to },
  };
}

/**
 * The benchmark of KoboldCpp: one request that fills the context, timed in the process. The prompt has `MaxCtx - GenAmount`
 * tokens. Reads the block it prints and the rows of its file.
 *
 * Written by https://github.com/LostRuins/koboldcpp/blob/concedo/koboldcpp.py (`--benchmark`).
 */
export const koboldcppBenchmark: Adapter = {
  id,
  title: "KoboldCpp's benchmark",
  kind: 'serving',
  recognises:
    'lines "ProcessingSpeed: N T/s" and "GenerationSpeed: N T/s", or CSV with Timestamp,Backend,Layers,Model,MaxCtx,GenAmount',
  command: 'koboldcpp --model MODEL.gguf --benchmark | tee result.txt',
  detect: (artifact) => findRuns(artifact).map(({ from, to }) => ({ adapter: id, from, to })),
  read: (artifact, claim) => {
    const { found } = findAt(findRuns(artifact), claim.from);
    const tool = { name: "KoboldCpp's benchmark", version: found?.labels.get('version') ?? null };
    return { tool, results: found === null ? [] : [toResult(found)], ignored: [], ...noRemarks };
  },
};
