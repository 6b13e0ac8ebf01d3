import type { ParsedResult, SystemFacts } from '../adapter.ts';
import { findPerfTables } from '../evalscope/perf-tables.ts';
import { findSummaries } from '../fireworks/summaries.ts';
import { systemOf as lmdeploySystem } from '../lmdeploy/arguments.ts';
import { findBlocks as findLmdeployBlocks } from '../lmdeploy/blocks.ts';
import { commandInText } from '../reading/context/command-line.ts';
import { toModelName } from '../reading/context/model-name.ts';
import { namesOtherModel } from '../reading/context/named-model.ts';
import { argumentsOfRun, type RunContext, readRunContexts } from '../reading/context/run-context.ts';
import { findServingBlocks } from '../reading/figures/serving-block.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import { systemOf as sglangSystem } from '../sglang/arguments.ts';
import { systemOf as trtllmSystem } from '../trtllm/arguments.ts';
import { toSystem as vllmSystem } from '../vllm/arguments.ts';

/** The lines of one run's figures, 1-based and inclusive. */
interface Block {
  from: number;
  to: number;
}

/** The system that the command of a server describes, and the name under which it serves the model. */
interface Server {
  system: SystemFacts;
  servedName: string | null;
}

/** A program that serves a model over HTTP. */
interface ServerProgram {
  /** A part of each of its names. */
  word: string;
  isProgram(words: readonly string[]): boolean;
  /** Whether the model may be an argument: `vllm serve MODEL`. */
  takesArgument: boolean;
  system(given: RunContext): SystemFacts;
}

const inferred = (value: string) => ({ value, origin: 'inferred' as const });

const programs: readonly ServerProgram[] = [
  {
    word: 'vllm',
    isProgram: (words) =>
      (/(?:^|\/)vllm$/.test(words[0] ?? '') && words[1] === 'serve') ||
      words[0] === 'vllm.entrypoints.openai.api_server' ||
      // The image, whose arguments are those of the server.
      /(?:^|\/)vllm-openai(?:-[\w-]{1,40})?(?::\S{1,100})?$/.test(words[0] ?? ''),
    takesArgument: true,
    system: (given) => ({ ...vllmSystem(given, 'context'), engine: inferred('vllm') }),
  },
  {
    // ATOM has vLLM's options.
    word: 'atom.entrypoints',
    isProgram: (words) => words[0] === 'atom.entrypoints.openai_server',
    takesArgument: false,
    system: (given) => ({ ...vllmSystem(given, 'context'), engine: inferred('atom') }),
  },
  {
    word: 'sglang',
    isProgram: (words) =>
      words[0] === 'sglang.launch_server' || (/(?:^|\/)sglang$/.test(words[0] ?? '') && words[1] === 'serve'),
    takesArgument: false,
    system: (given) => sglangSystem(given, 'context'),
  },
  {
    word: 'trtllm-serve',
    // `trtllm-serve MODEL`; its other commands start parts of a server.
    isProgram: (words) => /(?:^|\/)trtllm-serve$/.test(words[0] ?? '') && !/^(?:disagg|mm_)/.test(words[1] ?? ''),
    takesArgument: true,
    system: (given) => ({ ...trtllmSystem(given), engine: inferred('tensorrt-llm') }),
  },
  {
    word: 'lmdeploy',
    isProgram: (words) => /(?:^|\/)lmdeploy$/.test(words[0] ?? '') && words[1] === 'serve' && words[2] === 'api_server',
    takesArgument: true,
    system: (given) => lmdeploySystem(given),
  },
];

/** Whether the command starts one of several servers that share the work: prefill and decode, or replicas on other ports. */
const isOneOfMany = (context: RunContext) =>
  context.text('disaggregation_mode', 'kv_transfer_config') !== null || context.differs('port');

function toServer(context: RunContext, { takesArgument, system }: ServerProgram): Server {
  // `vllm serve MODEL`, `lmdeploy serve api_server MODEL`
  let at = 1;
  while (/^(?:serve|api_server)$/.test(context.argument(at) ?? '')) at++;
  const positional = takesArgument ? context.argument(at) : null;
  const text = (...names: string[]) => context.text(...names) ?? (names.includes('model') ? positional : null);
  return { system: system({ ...context, text }), servedName: context.text('served_model_name', 'model_name') };
}

/** The system of the server that a command in a cell starts; null if it starts none. */
export function systemOfServer(text: string, line: number): SystemFacts | null {
  for (const program of programs) {
    const command = commandInText(text, line, program.isProgram);
    if (command !== null) return toServer(argumentsOfRun(command), program).system;
  }
  return null;
}

const nameOf = (model: string) => (toModelName(model) ?? model).replace(/^.*\//, '').toLowerCase();

/** Whether a benchmark of this model may be of the server. */
const isModelOf = ({ system, servedName }: Server, model: string) =>
  system.model === null || [system.model.value, servedName ?? ''].some((name) => nameOf(name) === nameOf(model));

/**
 * The number of draft tokens that a heading or a line states, 0 for none: `### MTP = 1`, `num_speculative_tokens 1`, `No MTP`.
 * The last of several is the nearest. Options of commands match too, and are the value of the command.
 */
const draftedLines: readonly RegExp[] = [
  /\bnum_spec(?:ulative)?_tokens["'`]?\s{0,3}[:=]?\s{0,3}(\d{1,2})\b(?!\.\d)/,
  /^\W*(?:[\w,-]{1,40}\W{1,3}){0,4}MTP\W{0,3}(\d{1,2})\W*$/i,
];
const undrafted =
  /^\W*(?:no|without|w\/o|disabled?)[ -](?:MTP|spec(?:ulative)?(?:[ -]?dec(?:oding)?)?|draft(?:ing)?)\W*$/i;

function draftedAbove(artifact: ArtifactText, from: number, to: number): number | null {
  let drafted: number | null = null;
  for (let line = from; line <= to; line++) {
    const text = artifact.lineAt(line).slice(0, 500);
    const stated = draftedLines.map((pattern) => pattern.exec(text)?.[1]).find((found) => found !== undefined);
    if (stated !== undefined) drafted = Number(stated);
    else if (undrafted.test(text)) drafted = 0;
  }
  return drafted;
}

/** The system of a server that was started again with another number of draft tokens than its command has. */
function withDrafted(system: SystemFacts, drafted: number | null): SystemFacts {
  const { speculative_decoding, draft_tokens, speculative_algorithm, ...others } = system.features;
  if (drafted === null || speculative_decoding === undefined || draft_tokens === undefined) return system;
  if (drafted === 0) return { ...system, features: others };
  return { ...system, features: { ...system.features, draft_tokens: drafted } };
}

/** A benchmark client: `vllm bench serve`, `python benchmark_serving.py`, `python -m sglang.bench_serving`. */
const isClient = (words: readonly string[]) => words.slice(0, 2).some((word) => word.includes('bench'));

/**
 * The server of each block, by its first line: the command of a server before it, or what several share. A server also
 * answers later runs, unless a command in between benchmarks another model or the text names one. An artifact with the commands of two engines
 * compares them, so that the server of a block is unknown.
 */
const serversIn = cachedPerArtifact((artifact): ReadonlyMap<number, Server> => {
  const servers = new Map<number, Server>();
  const present = programs.filter(({ word }) => artifact.has(word));
  if (present.length === 0) return servers;
  const finders = [findServingBlocks, findPerfTables, findSummaries, findLmdeployBlocks];
  const blocks = finders.flatMap((find): Block[] => [...find(artifact)]).sort((a, b) => a.from - b.from);
  const found = present
    .map((program) => ({
      program,
      contexts: readRunContexts(artifact, blocks, program.isProgram, program.word, false),
    }))
    .filter(({ contexts }) => contexts.size > 0);
  const [only] = found;
  if (only === undefined || found.length > 1) return servers;
  const clients = readRunContexts(artifact, blocks, isClient, 'bench', false);
  let last: Server | null = null;
  let isOfOther = false;
  let drafted: number | null = null;
  let end = 0;
  for (const block of blocks) {
    const context = only.contexts.get(block);
    const model: string | null = last?.system.model?.value ?? null;
    if (context !== undefined) {
      last = isOneOfMany(context) ? null : toServer(context, only.program);
      isOfOther = false;
    } else if (model !== null && namesOtherModel(artifact, end + 1, block.from - 1, model)) isOfOther = true;
    drafted = draftedAbove(artifact, end + 1, block.from - 1) ?? (context === undefined ? drafted : null);
    end = block.to;
    const named = clients.get(block)?.text('model') ?? null;
    if (named !== null) isOfOther = last !== null && !isModelOf(last, named);
    if (last !== null && !isOfOther) servers.set(block.from, { ...last, system: withDrafted(last.system, drafted) });
  }
  return servers;
});

/** Adds the facts of the server to a result, unless the benchmark names another model or engine. */
export function withServer(
  result: ParsedResult,
  artifact: Parameters<typeof serversIn>[0],
  { from }: Block,
): ParsedResult {
  const server = serversIn(artifact).get(from);
  if (server === undefined) return result;
  const { system, servedName } = server;
  const named = result.system.model;
  const isAlias = named !== null && servedName !== null && nameOf(named.value) === nameOf(servedName);
  const isSame = named === null || system.model === null || nameOf(named.value) === nameOf(system.model.value);
  if (!isSame && !isAlias) return result;
  const engine = result.system.engine ?? system.engine;
  if (engine?.value !== system.engine?.value) return result;
  return {
    ...result,
    system: {
      ...result.system,
      model: isAlias ? (system.model ?? named) : (named ?? system.model),
      quantization: result.system.quantization ?? system.quantization,
      gpuCount: result.system.gpuCount ?? system.gpuCount,
      engine,
      parallelism: { ...system.parallelism, ...result.system.parallelism },
      features: { ...system.features, ...result.system.features },
    },
  };
}
