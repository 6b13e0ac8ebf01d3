import type { ParsedResult, SystemFacts } from '../adapter.ts';
import { toModelName } from '../reading/context/model-name.ts';
import { type RunContext, readRunContexts } from '../reading/context/run-context.ts';
import { findServingBlocks, type ServingBlock } from '../reading/figures/serving-block.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import { systemOf as sglangSystem } from '../sglang/arguments.ts';
import { toSystem as vllmSystem } from '../vllm/arguments.ts';

/** The system that the command of a server describes, and the name under which it serves the model. */
interface Server {
  system: SystemFacts;
  servedName: string | null;
}

const isVllm = (words: readonly string[]) =>
  (/(?:^|\/)vllm$/.test(words[0] ?? '') && words[1] === 'serve') || words[0] === 'vllm.entrypoints.openai.api_server';
const isSglang = (words: readonly string[]) =>
  words[0] === 'sglang.launch_server' || (/(?:^|\/)sglang$/.test(words[0] ?? '') && words[1] === 'serve');

/** Whether the command starts one of several servers that share the work: prefill and decode, or replicas on other ports. */
const isOneOfMany = (context: RunContext) =>
  context.text('disaggregation_mode', 'kv_transfer_config') !== null || context.differs('port');

function toServer(context: RunContext, isOfVllm: boolean): Server {
  // `vllm serve MODEL`
  const positional = isOfVllm ? context.argument(2) : null;
  const text = (...names: string[]) => context.text(...names) ?? (names.includes('model') ? positional : null);
  const given = { ...context, text };
  const system = isOfVllm
    ? { ...vllmSystem(given, 'context'), engine: { value: 'vllm', origin: 'inferred' as const } }
    : sglangSystem(given, 'context');
  return { system, servedName: context.text('served_model_name') };
}

/**
 * The server of each block: the command of a server before it, or what several share. A server also answers later runs. An
 * artifact with the commands of two engines compares them, so that the server of a block is unknown.
 */
const serversIn = cachedPerArtifact((artifact): ReadonlyMap<ServingBlock, Server> => {
  const servers = new Map<ServingBlock, Server>();
  if (!artifact.has('serve')) return servers;
  const blocks = findServingBlocks(artifact);
  const [vllm, sglang] = [isVllm, isSglang].map((isServer) => readRunContexts(artifact, blocks, isServer, 'serve'));
  if (vllm === undefined || sglang === undefined || (vllm.size > 0 && sglang.size > 0)) return servers;
  const contexts = vllm.size > 0 ? vllm : sglang;
  let last: Server | null = null;
  for (const block of blocks) {
    const context = contexts.get(block);
    if (context !== undefined) last = isOneOfMany(context) ? null : toServer(context, vllm.size > 0);
    if (last !== null) servers.set(block, last);
  }
  return servers;
});

const nameOf = (model: string) => (toModelName(model) ?? model).replace(/^.*\//, '').toLowerCase();

/** Adds the facts of the server to a result of a serving block, unless the benchmark names another model. */
export function withServer(
  result: ParsedResult,
  artifact: Parameters<typeof serversIn>[0],
  block: ServingBlock,
): ParsedResult {
  const server = serversIn(artifact).get(block);
  if (server === undefined) return result;
  const { system, servedName } = server;
  const named = result.system.model;
  const isAlias = named !== null && servedName !== null && nameOf(named.value) === nameOf(servedName);
  const isSame = named === null || system.model === null || nameOf(named.value) === nameOf(system.model.value);
  if (!isSame && !isAlias) return result;
  return {
    ...result,
    system: {
      ...result.system,
      model: isAlias ? (system.model ?? named) : (named ?? system.model),
      quantization: result.system.quantization ?? system.quantization,
      gpuCount: result.system.gpuCount ?? system.gpuCount,
      engine: result.system.engine ?? system.engine,
      parallelism: { ...system.parallelism, ...result.system.parallelism },
      features: { ...system.features, ...result.system.features },
    },
  };
}
