import type { MetricName } from '../../metrics/index.ts';
import {
  type Adapter,
  noFacts,
  noRemarks,
  noResult,
  noScenario,
  type ParsedResult,
  type ReaderNote,
  type Repeats,
} from '../adapter.ts';
import { modelFacts } from '../reading/context/model-name.ts';
import { measuredLengths } from '../reading/figures/measured-lengths.ts';
import { definitionsOf } from '../reading/figures/report-figures.ts';
import { meanOf } from '../reading/figures/samples.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { findAt } from '../reading/text/by-line.ts';
import { type ClubRun, type ClubSummary, findClubSummaries } from './summary.ts';

const id = 'club-3090-bench';

/** Number of lines before a summary that may name its model. */
const contextLines = 600;
const modelLine = /^\s{0,8}(?:\[autodetect\] served model='([^']{1,200})'|model {1,20}: (\S{1,200})\s*$)/;

function readContext(artifact: ArtifactText, to: number): { model: string | null; isOffloaded: boolean } {
  const context = { model: null as string | null, isOffloaded: false };
  for (let line = Math.max(1, to - contextLines); line <= to; line++) {
    const text = artifact.lineAt(line);
    if (text.length > 500) continue;
    const found = text.includes('model') ? modelLine.exec(text) : null;
    if (found !== null) context.model = found[1] ?? found[2] ?? null;
    if (text.includes('CPU offload')) context.isOffloaded = /^\s{0,8}CPU offload {1,9}: DETECTED\b/.test(text);
  }
  return context;
}

const numbers = (runs: readonly ClubRun[], key: keyof ClubRun) => {
  const found = runs.flatMap((run) => run[key] ?? []);
  return found.length === runs.length && found.length > 0 ? found : null;
};
const total = (values: readonly number[] | null) =>
  values === null ? undefined : values.reduce((sum, value) => sum + value, 0);

function toRepeats(summary: ClubSummary, named: readonly [MetricName, string, keyof ClubRun][]): Repeats | null {
  const measured = named.flatMap(([metric, label, key]) => {
    const stat = summary.stats.get(label);
    return stat === undefined ? [] : [{ metric, stat, samples: numbers(summary.runs, key) }];
  });
  if (measured.length === 0) return null;
  const sds = summary.n < 2 ? [] : measured.map(({ metric, stat }) => [metric, stat.sd]);
  const samples = measured.flatMap(({ metric, samples: values }) => (values === null ? [] : [[metric, values]]));
  return {
    n: summary.n,
    sd: Object.fromEntries(sds),
    samples: samples.length === 0 ? null : Object.fromEntries(samples),
  };
}

function toResult(summary: ClubSummary, artifact: ArtifactText): { result: ParsedResult; ignored: string[] } {
  const { stats, runs, shape, n } = summary;
  const isPrompt = !stats.has('wall_TPS');
  const ttft = stats.get('TTFT');
  const wall = stats.get('wall_TPS');
  // If the response came in one piece, no decode was measured and the same figure is printed twice.
  const decode = stats.get('decode_TPS');
  const isSeen = decode !== undefined && decode.mean !== wall?.mean;
  const prefill = stats.get('prefill tok/s') ?? (isPrompt ? stats.get('PP tok/s') : undefined);
  const [outputs, prompts] = [numbers(runs, 'outputTokens'), numbers(runs, 'promptTokens')];
  const [written, wallMs] = [total(outputs), total(numbers(runs, 'wallMs'))];
  const found: [MetricName, number | undefined][] = [
    ['requests_ok', n],
    ['prefill_tok_s', prefill?.mean],
    ['decode_tok_s', isSeen ? decode.mean : undefined],
    ['user_tok_s', isSeen ? decode.mean : undefined],
    [
      'output_tok_s',
      !isPrompt && written !== undefined && wallMs !== undefined ? (written * 1000) / wallMs : undefined,
    ],
    ['output_tokens', isPrompt ? undefined : written],
    ['input_tokens', total(prompts)],
    ['ttft_ms_mean', ttft?.mean],
    ['ttft_ms_min', ttft?.min],
    ['ttft_ms_max', ttft?.max],
    ['e2e_ms_mean', wallMs === undefined ? undefined : wallMs / n],
  ];
  const metrics = found.filter((entry): entry is [MetricName, number] => (entry[1] ?? 0) > 0);
  const definitions: Record<string, string> = {
    prefill_tok_s: 'client',
    decode_tok_s: 'client',
    user_tok_s: 'client',
    ttft_ms: 'send_to_first_token',
    e2e_ms: 'request',
  };
  const repeated: [MetricName, string, keyof ClubRun][] = isPrompt
    ? [['prefill_tok_s', stats.has('prefill tok/s') ? 'prefill tok/s' : 'PP tok/s', 'prefillTokS']]
    : isSeen
      ? [
          ['decode_tok_s', 'decode_TPS', 'decodeTokS'],
          ['user_tok_s', 'decode_TPS', 'decodeTokS'],
        ]
      : [];
  const context = readContext(artifact, summary.from - 1);
  const notes: ReaderNote[] = [];
  if (decode !== undefined && !isSeen) {
    const message = 'decode_TPS equals wall_TPS: the responses came in one piece, so the decode speed is unknown.';
    notes.push({ code: 'not_streamed', severity: 'info', message, evidence: { decode_tps: decode.mean } });
  }
  return {
    result: {
      ...noResult,
      // The name that the server uses.
      system: {
        ...noFacts,
        ...modelFacts(context.model, 'inferred'),
        features: context.isOffloaded ? { offload: true } : {},
      },
      scenario: {
        ...noScenario,
        ...measuredLengths(
          prompts === null ? null : meanOf(prompts),
          isPrompt || outputs === null ? null : meanOf(outputs),
        ),
        dataset: { value: `club-3090 ${shape}`, origin: 'stated' },
      },
      load: { mode: 'concurrency', level: 1 },
      metrics: Object.fromEntries(metrics),
      definitions: definitionsOf(metrics, definitions),
      repeats: toRepeats(summary, repeated),
      extra: wall === undefined ? {} : { request_tok_s_mean: wall.mean },
      notes,
      lines: { from: summary.from, to: summary.to },
    },
    // A window of the server's log with almost no prompt processing.
    ignored: !isPrompt && stats.has('PP tok/s') ? [`PP tok/s of ${shape}`] : [],
  };
}

/**
 * `bench.sh` of club-3090: a story prompt, a code prompt and long prompts. One client sends each a few times, sequentially.
 * `wall_TPS` is tokens divided by the whole request; `decode_TPS` divides by the time after the first token.
 *
 * Written by https://github.com/noonghunna/club-3090/blob/master/scripts/bench.sh
 */
export const club3090Bench: Adapter = {
  id,
  title: 'club-3090 bench.sh',
  kind: 'serving',
  recognises: 'a heading "=== summary [narrative] (n=5) ===" above "wall_TPS", "decode_TPS" or "prefill tok/s"',
  command: 'bash scripts/bench.sh 2>&1 | tee result.txt',
  detect: (artifact) => findClubSummaries(artifact).map(({ from, to }) => ({ adapter: id, from, to })),
  read: (artifact, claim) => {
    const { found } = findAt(findClubSummaries(artifact), claim.from);
    const tool = { name: 'club-3090 bench.sh', version: null };
    if (found === null) return { tool, results: [], ignored: [], ...noRemarks };
    const { result, ignored } = toResult(found, artifact);
    return { tool, results: [result], ignored, ...noRemarks };
  },
};
