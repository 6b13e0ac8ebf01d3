import type { PlanPoint } from '@inferboard/core/plans/point';
import { type Ramp, rampSchedule } from '../pacing/arrivals.ts';
import { deriveSeed } from '../pacing/random.ts';
import type { PointPrompt, PointPrompts } from '../points/prompts.ts';
import type { CountTokens } from '../prompts/calibrator.ts';
import { turnsOf } from '../turns/turns.ts';
import type { TrafficFile, TrafficSource, TrafficTools, Turn, Unit } from './unit.ts';

/** What a row is, where that differs between rows. */
export interface RowFacts {
  /** From 1. */
  conversation?: number;
  turn?: number;
  /** Part of a mix. */
  workload?: string;
  /** Of several that take turns. */
  model?: string;
}

/** Notes on the traffic of a point, in addition to its figures. */
export interface TrafficFacts {
  /** The workload: results of another are not ranked with it. */
  dataset: string;
  /** Tokens that every request asks for; null where they differ. */
  inputTokens: number | null;
  outputTokens: number | null;
  seed: number;
  files: readonly TrafficFile[];
  notes: readonly string[];
  /** Tokens requested of the prompt of each row; null if unknown. */
  requestedTokens: readonly (number | null)[];
  rows: readonly RowFacts[];
}

/** Traffic of which points take their requests. */
export interface Traffic {
  source: TrafficSource;
  /** Arrivals in place of the load's own; null: the load's. */
  ramp: (Ramp & { burstiness: number }) | null;
  countTokens: CountTokens;
}

function toPrompt({ messages, outputTokens }: Turn, { tools, model, documents }: Unit): PointPrompt {
  return {
    ...{ prompt: '', messages, outputTokens },
    ...((tools !== undefined || documents !== undefined) && {
      fields: { ...(tools !== undefined && { tools }), ...(documents !== undefined && { documents }) },
    }),
    ...(model !== undefined && { model }),
  };
}

/** What is known of a row, where it is a turn of several or of a part of a mix. */
function toRow({ turns, workload, model }: Unit, conversation: number, turn: number, hasTurns: boolean): RowFacts {
  return {
    ...((hasTurns || turns.length > 1) && { conversation: conversation + 1, turn: turn + 1 }),
    ...(workload !== undefined && { workload }),
    ...(model !== undefined && { model }),
  };
}

/**
 * The requests of a point, those of its warm-up behind the measured ones. A point of so many requests has as many
 * conversations, whose turns are rows one after another.
 */
export async function trafficOf(
  { source, ramp }: Traffic,
  point: PlanPoint,
  tools: TrafficTools,
): Promise<PointPrompts> {
  const seed = deriveSeed(point.seed, point.key);
  const unitAt = (await source.open(tools))(seed);
  const dueMs = source.dueMs ?? (ramp === null ? undefined : rampSchedule(ramp, { burstiness: ramp.burstiness, seed }));
  const measured = Array.from({ length: point.requests }, (_, index) => unitAt(index));
  const hasTurns = measured.some(({ turns }) => turns.length > 1);
  const prompts = measured.flatMap((unit) => unit.turns.map((turn) => toPrompt(turn, unit)));
  const rows = prompts.length;
  for (let index = 0; index < point.warmup; index++) {
    const unit = unitAt(point.requests + index);
    prompts.push(toPrompt(unit.turns[0], unit));
  }
  const thinkMs = Float64Array.from(measured.flatMap(({ turns }) => turns.map((turn) => turn.thinkMs)));
  return {
    at: (index) => {
      const prompt = prompts[index];
      if (prompt === undefined) throw new RangeError(`there is no request ${index}`);
      return prompt;
    },
    length: null,
    rows,
    ...(hasTurns && {
      turns: turnsOf(
        measured.map(({ turns }) => turns.length),
        thinkMs,
      ),
    }),
    ...(dueMs !== undefined && { dueMs: dueMs.subarray(0, point.requests) }),
    sharesPrefixes: source.sharesPrefixes,
    traffic: {
      dataset: source.name,
      ...source.lengths,
      seed: point.seed,
      files: source.files,
      notes: source.notes(point.requests),
      requestedTokens: measured.flatMap(({ turns }) => turns.map(({ inputTokens }) => inputTokens ?? null)),
      rows: measured.flatMap((unit, at) => unit.turns.map((_, turn) => toRow(unit, at, turn, hasTurns))),
    },
  };
}
