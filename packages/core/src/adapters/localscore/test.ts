import type { MetricName } from '../../metrics/index.ts';
import { noFacts, noResult, noScenario, type ParsedResult, type SystemFacts } from '../adapter.ts';
import { definitionsOf } from '../reading/figures/report-figures.ts';

/** One of the nine tests, from JSON or the console. Null if missing or not measured. */
export interface LocalScoreTest {
  /** 1-based, inclusive. */
  from: number;
  to: number;
  promptTokens: number;
  generatedTokens: number;
  promptTokS: number | null;
  generatedTokS: number | null;
  ttftMs: number | null;
  /** Of prompt and generation together. */
  wholeMs: number | null;
  powerW: number | null;
  promptSd: number | null;
  generatedSd: number | null;
}

/** Facts that apply to all tests of a run. */
export interface LocalScoreRun {
  system: Partial<SystemFacts>;
  measuredAt: string | null;
  extra: Record<string, string | number>;
}

/** Clients write 0 for unmeasured values. */
export function positive(value: number | null | undefined): number | null {
  return value !== null && value !== undefined && value > 0 ? value : null;
}

const definitions: Record<string, string> = {
  prefill_tok_s: 'in_process',
  decode_tok_s: 'in_process',
  user_tok_s: 'in_process',
  // The prompt and one token, without server or network.
  ttft_ms: 'prefill_only',
  e2e_ms: 'whole_batch',
};

/** A test as a result: one stream in the process. The score rates all tests together and is not a metric. */
export function toLocalScoreResult(test: LocalScoreTest, run: LocalScoreRun): ParsedResult {
  const found: [MetricName, number | null][] = [
    ['prefill_tok_s', positive(test.promptTokS)],
    ['decode_tok_s', positive(test.generatedTokS)],
    ['user_tok_s', positive(test.generatedTokS)],
    ['ttft_ms_mean', positive(test.ttftMs)],
    ['e2e_ms_mean', positive(test.wholeMs)],
    ['power_w', positive(test.powerW)],
  ];
  const metrics = found.filter((entry): entry is [MetricName, number] => entry[1] !== null);
  const spread: [MetricName, number | null][] = [
    ['prefill_tok_s', positive(test.promptSd)],
    ['decode_tok_s', positive(test.generatedSd)],
  ];
  const sd = spread.filter(([, value]) => value !== null);
  return {
    ...noResult,
    system: { ...noFacts, ...run.system },
    scenario: {
      ...noScenario,
      inputTokens: { value: test.promptTokens, origin: 'stated' },
      outputTokens: { value: test.generatedTokens, origin: 'stated' },
    },
    load: { mode: 'batch', level: 1 },
    metrics: Object.fromEntries(metrics),
    definitions: definitionsOf(metrics, definitions),
    repeats: sd.length === 0 ? null : { n: null, sd: Object.fromEntries(sd), samples: null },
    extra: run.extra,
    measuredAt: run.measuredAt,
    lines: { from: test.from, to: test.to },
  };
}
