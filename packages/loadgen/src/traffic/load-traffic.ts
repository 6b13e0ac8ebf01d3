import { planItem } from '@inferboard/core/plans/items';
import type { MadeUpPrompts, PlanScenario, SharedPrefix } from '@inferboard/core/plans/made-up-prompts';
import type { MixPart as ShapePart } from '@inferboard/core/plans/mix';
import type { PlanItem } from '@inferboard/core/plans/point';
import type { AskedPlan } from '@inferboard/core/plans/read-plan';
import { type Ramp, rampRequests } from '../pacing/arrivals.ts';
import { DatasetError } from '../prompts/datasets/dataset-error.ts';
import { type ImageShape, withImages, withModels, withoutAnswers, withPrefix, withTools } from './decorate.ts';
import { openPromptsFile } from './files/prompts-file.ts';
import { readTools, type ToolsFile } from './files/tools-file.ts';
import { openTraceFile, type TraceOptions } from './files/trace-file.ts';
import { constant, type Distribution, distributionOf } from './lengths.ts';
import { createMix } from './mix.ts';
import type { Traffic } from './point-traffic.ts';
import { createRerank } from './rerank.ts';
import { type ConversationOptions, createSynthetic } from './synthetic.ts';
import type { TrafficSource } from './unit.ts';

/** Traffic whose files are read; the server is not reached yet. */
export type LoadedTraffic = Omit<Traffic, 'countTokens'>;

/** A part of a mix: a file of prompts, or made-up prompts of one length. */
export type MixEntry = ShapePart | { name: string; weight: number; path: string };

/** What traffic is made of; the rest of the plan is its load. */
export interface TrafficChoice {
  /** File of prompts. */
  prompts: string | null;
  /** File of a trace or a request log, and how it is replayed. */
  replay: (TraceOptions & { path: string }) | null;
  /** Empty: one workload. */
  mix: readonly MixEntry[];
  /** Requests are turns of conversations; null: each is independent. */
  conversation: ConversationOptions | null;
  /** Lengths of made-up prompts; null where the plan's own workload has them. */
  inputTokens: Distribution | null;
  /** Of answers; of a file of prompts null where its records state them. */
  outputTokens: Distribution | null;
  /** What answers with documents: no tokens are generated. `documents` are those of a rerank request. */
  endpoint: 'embeddings' | 'rerank' | null;
  documents: number;
  prefix: SharedPrefix | null;
  images: ImageShape | null;
  /** File of tool definitions. */
  tools: string | null;
  /** Names in rotation; empty: the one model. */
  models: readonly string[];
  /** Arrivals whose rate changes, in place of the plan's loads. */
  ramp: (Ramp & { burstiness: number }) | null;
}

function openShape({ inputTokens, outputTokens }: Pick<ShapePart, 'inputTokens' | 'outputTokens'>): TrafficSource {
  return createSynthetic({ input: constant(inputTokens), output: constant(outputTokens), conversation: null });
}

async function openPart(entry: MixEntry): Promise<TrafficSource> {
  return 'path' in entry ? openPromptsFile(entry.path, { outputTokens: null, conversation: null }) : openShape(entry);
}

/** All of them, or everything that is wrong with their files. */
async function together<T>(loading: readonly Promise<T>[]): Promise<T[]> {
  const settled = await Promise.allSettled(loading);
  const errors = settled.flatMap((one): unknown[] => (one.status === 'rejected' ? [one.reason] : []));
  const [first] = errors;
  if (errors.length > 1 && first instanceof DatasetError && errors.every((error) => error instanceof DatasetError))
    throw new DatasetError(first.code, errors.map(({ message }) => message).join('\n'));
  if (errors.length > 0) throw first;
  return settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
}

async function openSourceOf(choice: TrafficChoice): Promise<TrafficSource | null> {
  const { prompts, replay, mix, conversation, inputTokens: input, outputTokens } = choice;
  if (prompts !== null)
    return openPromptsFile(prompts, { outputTokens, conversation, needsDocuments: choice.endpoint === 'rerank' });
  if (replay !== null) return openTraceFile(replay.path, replay);
  if (mix.length > 0) {
    const sources = await together(mix.map(openPart));
    return createMix(
      mix.flatMap(({ name, weight }, at) => {
        const source = sources[at];
        return source === undefined ? [] : [{ name, weight, source }];
      }),
    );
  }
  if (input !== null && choice.endpoint === 'rerank') return createRerank(choice.documents, input);
  return input === null || outputTokens === null
    ? null
    : createSynthetic({ input, output: outputTokens, conversation });
}

/**
 * Reads the files of the traffic; null where the plan's own workload is sent.
 *
 * @throws DatasetError
 */
export async function loadTraffic(choice: TrafficChoice): Promise<LoadedTraffic | null> {
  const [opened, tools] = await together<TrafficSource | ToolsFile | null>([
    openSourceOf(choice),
    choice.tools === null ? Promise.resolve(null) : readTools(choice.tools),
  ]).then(([one, other]) => [one as TrafficSource | null, other as ToolsFile | null] as const);
  let source = opened;
  if (source === null) return null;
  if (choice.endpoint === 'embeddings') source = withoutAnswers(source);
  const { prefix, images, models, ramp } = choice;
  if (images !== null) source = withImages(source, images);
  if (tools !== null) source = withTools(source, tools);
  if (prefix !== null) source = withPrefix(source, prefix);
  if (models.length > 0) source = withModels(source, models);
  if (ramp === null) return { source, ramp };
  const part = `ramp-${ramp.fromReqS}-${ramp.toReqS}-${ramp.durationS}s`;
  return { source: { ...source, name: source.name === 'random' ? part : `${part}-${source.name}` }, ramp };
}

/** The source of what a plan states beyond the lengths of its requests; null if it states no more than those. */
export function openPlanned({ prompts, mix }: PlanScenario): TrafficSource | null {
  if (mix !== undefined) return createMix(mix.map((part) => ({ ...part, source: openShape(part) })));
  return prompts === undefined ? null : openMadeUp(prompts);
}

/** The source of a plan's made-up prompts. */
function openMadeUp({ input, output, prefix, conversation }: MadeUpPrompts): TrafficSource {
  const source = createSynthetic({
    ...{ input: distributionOf(input), output: distributionOf(output) },
    conversation:
      conversation === undefined
        ? null
        : {
            turns: conversation.turns,
            thinkS: conversation.thinkS === null ? null : distributionOf(conversation.thinkS),
          },
  });
  return prefix === null ? source : withPrefix(source, prefix);
}

/** Requests per second of due times, by their mean gap. */
function rateOf(dueMs: Float64Array): number {
  const span = dueMs[dueMs.length - 1] ?? 0;
  return span > 0 ? Number(((1000 * (dueMs.length - 1)) / span).toPrecision(6)) : dueMs.length;
}

/** The load of traffic that has its own arrivals, and its requests; null where it has none. */
function ownLoad({ source, ramp }: LoadedTraffic) {
  if (source.dueMs !== undefined) return { rate: rateOf(source.dueMs), requests: source.dueMs.length };
  if (ramp === null) return null;
  const requests = Math.max(1, Math.round(rampRequests(ramp)));
  return { rate: Number((rampRequests(ramp) / ramp.durationS).toPrecision(6)), requests, burstiness: ramp.burstiness };
}

/** The plan with the workload of the traffic, and with its arrivals if it has any. */
export function planOf(traffic: LoadedTraffic, plan: AskedPlan): AskedPlan {
  if (typeof plan.plan === 'string') return plan;
  const { name, lengths } = traffic.source;
  const scenario = { id: name, ...lengths, dataset: name, depth: null, kernel: null };
  const own = ownLoad(traffic);
  const items = plan.plan.map(({ load, requests, warmup }): PlanItem => {
    if (own === null) return planItem(scenario, load, { requests, warmup });
    const { rate: level, burstiness } = own;
    const rate = { mode: 'rate' as const, level, ...(burstiness !== undefined && burstiness !== 1 && { burstiness }) };
    return planItem(scenario, rate, { requests: own.requests, warmup: plan.warmup ?? undefined });
  });
  return { ...plan, plan: items };
}
