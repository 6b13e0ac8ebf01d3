import { findNamedScenario } from '../catalogue/scenario-names.ts';
import type { KnownLoad } from '../load.ts';
import type { Scenario } from '../scenario.ts';

/** Largest seed: a number of JSON that every language reads back exactly. */
export const seedMax = Number.MAX_SAFE_INTEGER;

/** A workload under a load, asked so many times: what a plan is a list of. */
export interface PlanItem {
  scenario: Scenario;
  load: KnownLoad;
  /** Requests of one repetition, and requests before them that are not measured. */
  requests: number;
  warmup: number;
  /** Fewest requests that still are this load: a burst of 8 has 8, a closed loop of 8 users one each. */
  requestsLeast: number;
}

/** One repetition of an item: the unit that is measured, stored and resumed at. */
export interface PlanPoint {
  /** The same for the same workload, load and repetition in every run, whatever else its plan holds. */
  key: string;
  scenario: Scenario;
  load: KnownLoad;
  /** From 1. */
  repetition: number;
  /** Requests that are measured. A burst or a batch sends all of them at once. */
  requests: number;
  /** Requests before them that are not. */
  warmup: number;
  /** Seed of the plan: whoever draws for the point derives one from this and the key. */
  seed: number;
  /** Seconds after which no further request starts; null: all are sent. */
  durationMaxS: number | null;
}

const part = (value: string | number) => encodeURIComponent(value);

/** The name of a shape does it where nothing but its own lengths is asked for. */
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

/** `chatbot/concurrency:8`: what is measured, without the repetition. */
export function itemKey({ scenario, load }: Pick<PlanItem, 'scenario' | 'load'>): string {
  return `${scenarioPart(scenario)}/${loadPart(load)}`;
}

/** A repetition of an item under a plan's seed. */
export function pointOf(item: PlanItem, repetition: number, seed: number): PlanPoint {
  const key = `${itemKey(item)}/${repetition}`;
  const { scenario, load, requests, warmup } = item;
  return { key, scenario, load, repetition, requests, warmup, seed, durationMaxS: null };
}
