import type { KnownLoad } from '../../subjects/load.ts';
import { noFacts, noResult, noScenario, type ParsedResult, type ReaderNote } from '../adapter.ts';
import { toModelName } from '../reading/context/model-name.ts';
import { parseNumber } from '../reading/figures/numbers.ts';
import { definitionsOf, type ReportFigures } from '../reading/figures/report-figures.ts';

/** Facts from the parameters of a run that apply to all its benchmarks. */
export interface HfRun {
  /** Null if only the tokenizer is stated, which often has the model's name. */
  model: string | null;
  tokenizer: string | null;
  /** Maximum number of virtual users. */
  maxUsers: number | null;
  /** `num_tokens=Some(200),min_tokens=200,max_tokens=200,variance=0` as numbers; null if the data set decides. */
  prompt: AskedTokens | null;
  answer: AskedTokens | null;
  profile: string | null;
  /** Notes from the user of the tool, as names and values: "engine", "tp". */
  meta: ReadonlyMap<string, string>;
  measuredAt: string | null;
}

export interface AskedTokens {
  tokens: number | null;
  varies: boolean;
}

/** One benchmark of a run. */
export interface HfBenchmark {
  /** `throughput`, `constant@2.00req/s`. */
  name: string;
  load: KnownLoad | null;
  figures: ReportFigures;
  from: number;
  to: number;
}

const formulas = { ttft_ms: 'send_to_first_token', tpot_ms: 'without_first_token', e2e_ms: 'request' };

/** The warm-up is reported like the other benchmarks, but is not a measurement. */
export const isWarmup = (name: string) => name === 'warmup';

export function isAnswered({ figures }: HfBenchmark): boolean {
  return figures.metrics.get('requests_ok') !== 0;
}

function toNotes(benchmark: HfBenchmark): ReaderNote[] {
  const notes: ReaderNote[] = [];
  if (benchmark.load === null) {
    const message = 'The number of virtual users is not stated: the parameters of the run are missing.';
    notes.push({ code: 'load_unknown', severity: 'warning', message, evidence: {} });
  }
  if (!isAnswered(benchmark)) {
    const message = `No request of ${benchmark.name} succeeded: nothing was measured there.`;
    const failed = benchmark.figures.metrics.get('requests_failed') ?? null;
    notes.push({ code: 'no_request_completed', severity: 'warning', message, evidence: { failed } });
  }
  return notes;
}

function lengthFact(asked: AskedTokens | null): ParsedResult['scenario']['inputTokens'] {
  if (asked === null || asked.tokens === null || asked.tokens === 0) return null;
  return { value: asked.tokens, origin: asked.varies ? 'inferred' : 'stated' };
}

function toSystem({ model, tokenizer, meta }: HfRun): ParsedResult['system'] {
  const stated = model === null ? null : toModelName(model);
  const hinted = tokenizer === null ? null : toModelName(tokenizer);
  const engine = meta.get('engine')?.toLowerCase();
  const version = meta.get('version') ?? meta.get('engine_version');
  const gpu = meta.get('gpu');
  const tensor = parseNumber(meta.get('tp') ?? '');
  const isWidth = tensor !== null && Number.isSafeInteger(tensor) && tensor > 0;
  return {
    ...noFacts,
    model:
      stated !== null
        ? { value: stated, origin: 'stated' }
        : hinted === null
          ? null
          : { value: hinted, origin: 'inferred' },
    engine: engine === undefined ? null : { value: engine, origin: 'inferred' },
    engineVersion: version === undefined ? null : { value: version, origin: 'inferred' },
    gpu: gpu === undefined ? null : { value: gpu, origin: 'inferred' },
    parallelism: isWidth ? { tensor } : {},
  };
}

/** One benchmark as a result. If no request was answered, only the counts are kept. */
export function toHfResult(benchmark: HfBenchmark, run: HfRun): ParsedResult {
  const { figures, from, to } = benchmark;
  const answered = isAnswered(benchmark);
  const metrics = [...figures.metrics].filter(([name]) => answered || name.startsWith('requests_'));
  return {
    ...noResult,
    system: toSystem(run),
    scenario: { ...noScenario, inputTokens: lengthFact(run.prompt), outputTokens: lengthFact(run.answer) },
    load: benchmark.load,
    metrics: Object.fromEntries(metrics),
    definitions: answered ? definitionsOf(figures.metrics, formulas) : {},
    extra: {
      benchmark: benchmark.name,
      ...(run.profile === null ? {} : { profile: run.profile }),
      ...(answered ? figures.extra : {}),
    },
    notes: toNotes(benchmark),
    measuredAt: run.measuredAt,
    lines: { from, to },
  };
}
