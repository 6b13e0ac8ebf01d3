import { quantizationHint } from '../../catalogue/names/quantization-hint.ts';
import type { Limits } from '../../records.ts';
import type { KnownLoad } from '../../subjects/load.ts';
import {
  type Fact,
  noFacts,
  noResult,
  noScenario,
  type ParsedResult,
  type ReaderNote,
  type ScenarioFacts,
  type SystemFacts,
} from '../adapter.ts';
import { toModelName } from '../reading/context/model-name.ts';
import { isObject, type JsonObject } from '../reading/documents/json-records.ts';
import { measuredLengths } from '../reading/figures/measured-lengths.ts';
import { definitionsOf } from '../reading/figures/report-figures.ts';
import type { PerfFigures } from './figures.ts';

/** Facts of a run other than its figures. */
export interface PerfContext {
  system: SystemFacts;
  load: KnownLoad | null;
  dataset: Fact<string> | null;
  /** Lengths of synthetic prompts and their responses. */
  asked: Pick<ScenarioFacts, 'inputTokens' | 'outputTokens'>;
  limits: Limits | null;
  extra: Record<string, string | number | boolean>;
  notes: ReaderNote[];
  measuredAt: string | null;
}

export const noContext = (): PerfContext => ({
  system: noFacts,
  load: null,
  dataset: null,
  asked: { inputTokens: null, outputTokens: null },
  limits: null,
  extra: {},
  notes: [],
  measuredAt: null,
});

/** A model and the quantization that its name suggests. With several models, the figures belong to none of them. */
export function namedModel(
  names: readonly string[],
  origin: Fact<string>['origin'],
): Pick<SystemFacts, 'model' | 'quantization'> {
  const model = names.length === 1 ? toModelName(names[0] ?? '') : null;
  const hint = model === null ? null : quantizationHint(model);
  return {
    model: model === null ? null : { value: model, origin },
    quantization: hint === null ? null : { value: hint, origin: 'inferred' },
  };
}

export const severalModels = (names: readonly string[]): ReaderNote[] =>
  names.length < 2
    ? []
    : [
        {
          code: 'models_mixed',
          severity: 'warning',
          message: `Requests were sent to ${names.length} models in turn, so the figures do not belong to a single model.`,
          evidence: { models: names.slice(0, 10) },
        },
      ];

const limited: Record<string, keyof Limits> = {
  time_to_first_token: 'ttftMs',
  inter_token_latency: 'tpotMs',
  inter_chunk_latency: 'itlMs',
  request_latency: 'e2eMs',
};

/** The limits behind a goodput, `{"time_to_first_token": 300}` in ms; null if none is one of our metrics. */
export function toLimits(...stated: unknown[]): Limits | null {
  const limits: Limits = { ttftMs: null, itlMs: null, tpotMs: null, e2eMs: null };
  for (const each of stated) {
    if (typeof each !== 'object' || each === null) continue;
    for (const [tag, value] of Object.entries(each)) {
      const name = Object.hasOwn(limited, tag) ? limited[tag] : undefined;
      const number = Number(typeof value === 'string' ? value : typeof value === 'number' ? value : Number.NaN);
      if (name !== undefined && Number.isFinite(number) && number > 0) limits[name] = number;
    }
  }
  return Object.values(limits).some((value) => value !== null) ? limits : null;
}

/** The object at a path of keys; empty if there is none. */
export function inside(value: JsonObject, ...path: string[]): JsonObject {
  let found = value;
  for (const key of path) {
    const next = Object.hasOwn(found, key) ? found[key] : undefined;
    if (!isObject(next)) return {};
    found = next;
  }
  return found;
}

/** The texts of a list, or the single text in its place. */
export function textsOf(value: unknown): string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.flatMap((item) => (typeof item === 'string' && item !== '' ? [item.slice(0, 300)] : []));
}

const formulas = {
  ttft_ms: 'send_to_first_token',
  tpot_ms: 'without_first_token',
  e2e_ms: 'request',
  user_tok_s: 'client',
};

const loadUnknown: ReaderNote = {
  code: 'load_unknown',
  severity: 'warning',
  message: 'The artifact does not state how the requests were sent.',
  evidence: {},
};

/** A run as a result. */
export function toPerfResult(
  { figures, meanInput, meanOutput }: PerfFigures,
  context: PerfContext,
  lines: ParsedResult['lines'],
  gaps: 'per_chunk' | 'not_stated' = 'per_chunk',
): ParsedResult {
  // A context with a reason has its own note.
  const isUnsaid = context.load === null && context.notes.every(({ code }) => code !== loadUnknown.code);
  return {
    ...noResult,
    system: context.system,
    scenario: {
      ...noScenario,
      ...context.asked,
      ...measuredLengths(meanInput, meanOutput),
      dataset: context.dataset,
    },
    load: context.load,
    metrics: Object.fromEntries(figures.metrics),
    definitions: definitionsOf(figures.metrics, { ...formulas, itl_ms: gaps }),
    limits: context.limits,
    extra: { ...figures.extra, ...context.extra },
    notes: isUnsaid ? [...context.notes, loadUnknown] : context.notes,
    measuredAt: context.measuredAt,
    lines,
  };
}
