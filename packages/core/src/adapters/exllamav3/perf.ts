import type { Fault } from '../../errors.ts';
import { type Adapter, noFacts, noRemarks, type ParsedResult, type SystemFacts } from '../adapter.ts';
import { ArtifactError, maxFaults, maxResults, tooManyResults } from '../errors.ts';
import { toFigures } from '../llama-cpp/figures.ts';
import { noteIgnored } from '../plain-facts.ts';
import { type CommandLine, findCommand, optionValues } from '../reading/context/command-line.ts';
import { toModelName } from '../reading/context/model-name.ts';
import { parseNumber } from '../reading/figures/numbers.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { findAt } from '../reading/text/by-line.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';

const id = 'exllamav3-perf';

type Phase = 'Length' | 'Context';

/** Rows of one phase and the heading above them. Lines are 1-based and inclusive. */
interface Phased {
  from: number;
  to: number;
  phase: Phase;
  rows: { line: number; tokens: number; text: string }[];
}

const opener = /^\s{0,8}(Length|Context) {1,8}(\d{1,9}): {1,14}(\S.{0,400}?)\s*$/;
const heading = /^\s{0,8}(?:Prefill:|Generation:?)\s*$/;
/** One figure. Since 2026 a row may have several, each for a number of tokens per step. */
const figure = /^(?:S=(\d{1,4}) {1,14})?(\d{1,9}\.\d{2}) (?:tokens|steps)\/s$/;
/** The steps that the script measures at each context. */
const steps = 100;

/** Both phases of every run, in order of appearance. */
const findPhases = cachedPerArtifact((artifact): Phased[] => {
  const phases: Phased[] = [];
  for (const line of artifact.has('tokens/s') ? artifact.linesWith('Length ', 'Context ') : []) {
    const [, phase, tokens = '', text = ''] = opener.exec(artifact.lineAt(line)) ?? [];
    if (phase === undefined || !/^(?:S=\d|\d)/.test(text)) continue;
    const last = phases.at(-1);
    const row = { line, tokens: Number(tokens), text };
    if (last !== undefined && last.phase === phase && last.to === line - 1) {
      last.rows.push(row);
      last.to = line;
      continue;
    }
    const isHeaded = heading.test(artifact.lineAt(line - 1));
    phases.push({ from: isHeaded ? line - 1 : line, to: line, phase: phase as Phase, rows: [row] });
  }
  // A single line may come from any program.
  return phases.filter(({ from, rows }) => rows.length > 1 || from < (rows[0]?.line ?? 0));
});

const isPerf = ([program = '']: readonly string[]) => /(?:^|[/\\])perf\.py$/.test(program);

/** Facts in the log before a phase: the command, the bits per weight, the chunk size. */
interface Context {
  command: CommandLine | null;
  bitrate: number | null;
  chunk: number | null;
}

function readContext(artifact: ArtifactText, from: number, to: number): Context {
  const context: Context = { command: null, bitrate: null, chunk: null };
  for (let line = from; line <= to; line++) {
    const text = artifact.lineAt(line);
    if (text.includes('perf.py')) context.command = findCommand(artifact, line, isPerf) ?? context.command;
    if (!text.includes(' -- ')) continue;
    const bits = parseNumber(/^\s{0,8}-- Bitrate: (\d{1,2}\.\d{2}) bpw\b/.exec(text)?.[1] ?? '');
    context.bitrate = bits ?? context.bitrate;
    context.chunk = parseNumber(/^\s{0,8}-- Chunk size: (\d{1,9})\s*$/.exec(text)?.[1] ?? '') ?? context.chunk;
  }
  return context;
}

/** Options that keep experts of a mixture-of-experts model on the CPU. */
const offloads = [
  ['moe_cpu_offload', '-mcl', '--moe_cpu_offload'],
  ['moe_cpu_split', '-mcs', '--moe_cpu_split'],
] as const;
/** Above this number of bits, weights are not quantized. */
const mostBits = 9;

function toSystem({ command, bitrate, chunk }: Context): SystemFacts {
  const option = (...names: string[]) => (command === null ? undefined : optionValues(command, ...names).at(-1));
  const model = toModelName(option('-m', '--model_dir') ?? '');
  const size = chunk ?? parseNumber(option('-chunk_size', '--chunk_size') ?? '');
  const kept = offloads.flatMap(([name, ...names]) => {
    const count = parseNumber(option(...names) ?? '');
    return count === null || count <= 0 ? [] : [[name, count] as const];
  });
  // Bits of the cache, of keys and values: "8" or "8,4".
  const cache = /^\d{1,2}(?:,\d{1,2})?$/.exec(option('-cq', '--cache_quant') ?? '')?.[0];
  return {
    ...noFacts,
    model: model === null ? null : { value: model, origin: 'context' },
    quantization: bitrate === null || bitrate > mostBits ? null : { value: `exl3 ${bitrate}bpw`, origin: 'inferred' },
    engine: { value: 'exllamav3', origin: 'stated' },
    features: {
      ...(size === null ? {} : { chunk_size: size }),
      ...(cache === undefined ? {} : { cache_quant: cache }),
      ...Object.fromEntries(kept),
      ...(kept.length === 0 ? {} : { offload: true }),
    },
  };
}

/** The speed at one token per step. Null if the row has none; text that is not a figure is an error. */
function readSpeed(text: string, line: number, faults: Fault[]): number | null {
  let speed: number | null = null;
  for (const part of text.split(/, {1,8}/)) {
    const [, width = '1', number] = figure.exec(part) ?? [];
    if (number === undefined) {
      const message = `"${part.slice(0, 60)}" is not readable: expected something such as "18.30 tokens/s".`;
      faults.push({ code: 'value_unreadable', line, message });
      return null;
    }
    if (width === '1' && Number(number) > 0) speed = Number(number);
  }
  return speed;
}

function readPhase(
  artifact: ArtifactText,
  found: Phased,
  context: Context,
): { results: ParsedResult[]; ignored: string[] } {
  if (found.rows.length > maxResults) throw tooManyResults(found.from);
  const faults: Fault[] = [];
  const ignored = new Set<string>();
  const system = toSystem(context);
  const results = found.rows.flatMap(({ line, tokens, text }): ParsedResult[] => {
    if (faults.length >= maxFaults) return [];
    // A paste that ends within a row lacks its figure.
    const isCut = line === artifact.lines.length && !text.endsWith('/s');
    const speed = isCut ? null : readSpeed(text, line, faults);
    if (/S=(?!1 )/.test(text)) ignored.add('speeds of several tokens a step');
    if (speed === null) return [];
    const isPrompt = found.phase === 'Length';
    const depth = isPrompt || tokens === 0 ? null : tokens;
    const test = { name: '', promptTokens: isPrompt ? tokens : 0, generatedTokens: isPrompt ? 0 : steps, depth };
    const figures = toFigures({ test, average: speed, sd: null, n: null, samples: null });
    return [
      {
        kind: 'serving',
        system,
        ...figures,
        scenario: { ...figures.scenario, name: null },
        requests: null,
        limits: null,
        extra: {},
        notes: [],
        measuredAt: null,
        lines: { from: line, to: line },
      },
    ];
  });
  if (results.length === 0 && faults.length === 0) {
    const message = `The rows that begin on line ${found.from} have no figure above 0: nothing was measured.`;
    faults.push({ code: 'nothing_measured', line: found.from, message });
  }
  if (faults.length > 0) throw new ArtifactError(faults);
  return { results, ignored: noteIgnored(ignored) };
}

/**
 * ExLlamaV3's `eval/perf.py`: one stream inside the benchmark process, without sampling or network. A prefill row is a
 * prompt of that length. A generation row is a hundred steps after a context of that length.
 *
 * Written by https://github.com/turboderp-org/exllamav3/blob/master/eval/perf.py
 */
export const exllamav3Perf: Adapter = {
  id,
  title: 'exllamav3 eval/perf.py',
  kind: 'serving',
  recognises:
    'rows "Length 256: 114.37 tokens/s" below "Prefill:" and "Context 256: 18.13 tokens/s" below "Generation"',
  command: 'python eval/perf.py --model_dir MODEL 2>&1 | tee result.txt',
  detect: (artifact) => findPhases(artifact).map(({ from, to }) => ({ adapter: id, from, to })),
  read: (artifact, claim) => {
    const { found, before } = findAt(findPhases(artifact), claim.from);
    const tool = { name: 'exllamav3 perf.py', version: null };
    if (found === null) return { tool, results: [], ignored: [], ...noRemarks };
    // Generation follows prefill in the same run.
    const isSecond = found.phase === 'Context' && before?.phase === 'Length';
    const first = isSecond ? (findAt(findPhases(artifact), before.from).before?.to ?? 0) : (before?.to ?? 0);
    const context = readContext(artifact, first + 1, found.from - 1);
    return { tool, ...readPhase(artifact, found, context), ...noRemarks };
  },
};
