import { findNamedScenario } from '../catalogue/scenario-names.ts';
import { formatLoad, type KnownLoad } from '../subjects/load.ts';
import type { Scenario } from '../subjects/scenario.ts';
import { readShapeName } from '../workloads/shape-name.ts';
import { type PlanScenario, turnsOf } from './made-up-prompts.ts';

/** Maximum seed: every language parses this JSON number exactly. */
export const seedMax = Number.MAX_SAFE_INTEGER;

/** A workload under a load with a number of requests. A plan is a list of items. */
export interface PlanItem {
  scenario: PlanScenario;
  load: KnownLoad;
  /** Measured requests of one repetition, or conversations, and unmeasured requests before them. See `requestsOfPoint`. */
  requests: number;
  warmup: number;
  /** Minimum requests of this load: a burst of 8 has 8, a closed loop of 8 users one each. */
  requestsLeast: number;
}

/** One repetition of an item: the unit of measuring, storing and resuming. */
export interface PlanPoint {
  /** Equal for the same workload, load and repetition in every run, regardless of the rest of the plan. */
  key: string;
  scenario: PlanScenario;
  load: KnownLoad;
  /** Starts at 1. */
  repetition: number;
  /** Measured requests, or conversations. A burst or a batch begins all of them at once. See `requestsOfPoint`. */
  requests: number;
  /** Unmeasured requests before them. */
  warmup: number;
  /** Seed of the plan. Random values of the point use a seed derived from this and the key. */
  seed: number;
  /** Seconds after which no further request starts; null: sends all requests. */
  durationMaxS: number | null;
}

/** Measured requests of a point: each turn of a conversation is one. */
export const requestsOfPoint = ({ scenario, requests }: Pick<PlanPoint, 'scenario' | 'requests'>): number =>
  requests * turnsOf(scenario);

const part = (value: string | number) => encodeURIComponent(value);

/** The name of a shape is enough if the request has exactly its lengths. */
function scenarioPart({ id, inputTokens, outputTokens, dataset }: Scenario): string {
  const named = findNamedScenario(id);
  if (named !== null && named.inputTokens === inputTokens && named.outputTokens === outputTokens) return part(id);
  return [id, inputTokens ?? '', outputTokens ?? '', dataset ?? ''].map(part).join(':');
}

function loadPart({ mode, level, burstiness, maxConcurrency }: KnownLoad): string {
  const cap = maxConcurrency == null ? [] : [`max${maxConcurrency}`];
  const shape = burstiness == null ? [] : [`shape${burstiness}`];
  return [mode, level, ...shape, ...cap].map(part).join(':');
}

/** Identifies the measurement without the repetition: `chatbot/concurrency:8`. */
export function itemKey({ scenario, load }: Pick<PlanItem, 'scenario' | 'load'>): string {
  return `${scenarioPart(scenario)}/${loadPart(load)}`;
}

/** The name of a workload for people: the requested lengths of an unnamed shape, because those in its name are rounded. */
export function scenarioTitle({ id, inputTokens, outputTokens }: Scenario): string {
  const isUnnamed = readShapeName(id) !== null;
  return isUnnamed && inputTokens !== null && outputTokens !== null ? `${inputTokens}-${outputTokens}` : id;
}

/** "4096-256, 2 concurrent, repetition 3". The first repetition has no number. */
export function pointTitle({
  scenario,
  load,
  repetition,
}: Pick<PlanPoint, 'scenario' | 'load' | 'repetition'>): string {
  return [scenarioTitle(scenario), formatLoad(load), ...(repetition > 1 ? [`repetition ${repetition}`] : [])].join(
    ', ',
  );
}

/** Builds a repetition of an item with a plan's seed. */
export function pointOf(item: PlanItem, repetition: number, seed: number): PlanPoint {
  const key = `${itemKey(item)}/${repetition}`;
  const { scenario, load, requests, warmup } = item;
  return { key, scenario, load, repetition, requests, warmup, seed, durationMaxS: null };
}
