import type { MetricName } from '../../metrics/index.ts';
import { type Adapter, noFacts, noRemarks, noResult, type ParsedResult } from '../adapter.ts';
import { maxResults, tooManyResults } from '../errors.ts';
import { toClaims, within } from '../reading/documents/json-records.ts';
import { parseNumber, shiftDecimal } from '../reading/figures/numbers.ts';
import { definitionsOf } from '../reading/figures/report-figures.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { countBefore } from '../reading/text/by-line.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';

const id = 'tabbyapi-metrics';

/** The log entry of one request. */
interface Logged {
  /** 1-based, inclusive; more than one line if the console wrapped the entry. */
  from: number;
  to: number;
  outputTokens: number;
  seconds: number;
  queueS: number;
  /** Null in the first layout, which counted the cached tokens as processed. */
  prompt: { cachedTokens: number; newTokens: number; tokS: number | null } | null;
  outputTokS: number;
  inputTokens: number;
  /** Null without a draft model. */
  draft: { tokens: number; accepted: number } | null;
}

const number = String.raw`(\d{1,9}(?:\.\d{1,6})?)`;
const logged = new RegExp(
  String.raw`(?:^|[\s:])(\d{1,9}) tokens generated in ${number} seconds \(Queue: ?${number} s, Process: (?:(\d{1,9}) cached tokens and (\d{1,9}) new tokens at )?(\S{1,16}) T/s, Generate: ${number} T/s, Context: (\d{1,9}) tokens(?:, Draft: (\d{1,9}) / (\d{1,9}) tokens accepted \(\d{1,3}(?:\.\d{1,4})?%\))?\)`,
);
const longest = 600;
/** Most lines that one entry was wrapped over, with some margin. */
const maxWrap = 8;
/** The first line of another entry, in the console or in the log file. */
const entryStart = /^\s*(?:\d{4}-\d\d-\d\d |(?:TRACE|DEBUG|INFO|SUCCESS|WARNING|ERROR|CRITICAL):)/;

/** The entry that begins on a line, joined with the next lines if the console wrapped it. The console wraps between words. */
function matchLogged(artifact: ArtifactText, from: number): { to: number; found: RegExpExecArray } | null {
  let text = '';
  for (let to = from; to < from + maxWrap && to <= artifact.lines.length; to++) {
    const next = artifact.lineAt(to);
    if (to > from && (next.trim() === '' || entryStart.test(next))) return null;
    if (text.length + next.length > longest) return null;
    text = to === from ? next.trimEnd() : `${text} ${next.trim()}`;
    const found = logged.exec(text);
    if (found !== null) return { to, found };
  }
  return null;
}

const findLogged = cachedPerArtifact((artifact): Logged[] => {
  const all: Logged[] = [];
  for (const line of artifact.linesWith('tokens generated', 'generated in')) {
    // The count may be on the line above.
    const from = /^\s*(?:tokens )?generated/.test(artifact.lineAt(line)) ? line - 1 : line;
    if (from <= (all.at(-1)?.to ?? 0)) continue;
    const entry = matchLogged(artifact, from);
    if (entry === null) continue;
    const { found, to } = entry;
    const figure = (index: number) => Number(found[index] ?? 0);
    const outputTokens = figure(1);
    const outputTokS = figure(7);
    if (outputTokS <= 0 || outputTokens === 0) continue;
    const newTokens = figure(5);
    all.push({
      from,
      to,
      outputTokens,
      seconds: figure(2),
      queueS: figure(3),
      prompt:
        found[4] === undefined
          ? null
          : { cachedTokens: figure(4), newTokens, tokS: newTokens === 0 ? null : parseNumber(found[6] ?? '') },
      outputTokS,
      inputTokens: figure(8),
      draft: found[10] === undefined ? null : { accepted: figure(9), tokens: figure(10) },
    });
  }
  return all;
});

const definitions: Record<string, string> = {
  prefill_tok_s: 'in_process',
  user_tok_s: 'in_process',
  e2e_ms: 'request',
};

function toResult(entry: Logged, repetition: number): ParsedResult {
  const { prompt, draft } = entry;
  const found: [MetricName, number | null][] = [
    ['prefill_tok_s', prompt?.tokS ?? null],
    ['user_tok_s', entry.outputTokS],
    ['e2e_ms_mean', shiftDecimal(entry.seconds, 3)],
    ['requests_ok', 1],
    ['input_tokens', entry.inputTokens],
    ['output_tokens', entry.outputTokens],
  ];
  const metrics = found.filter((pair): pair is [MetricName, number] => pair[1] !== null && pair[1] > 0);
  const unknown = 'The log does not state how many requests the server answered at the same time.';
  return {
    ...noResult,
    system: draft === null ? noResult.system : { ...noFacts, features: { speculative_decoding: true } },
    repetition,
    metrics: Object.fromEntries(metrics),
    definitions: definitionsOf(metrics, definitions),
    extra: {
      queue_s: entry.queueS,
      ...(prompt === null ? {} : { cached_tokens: prompt.cachedTokens, prompt_tokens_evaluated: prompt.newTokens }),
      ...(draft === null ? {} : { draft_tokens: draft.tokens, accepted_tokens: draft.accepted }),
    },
    notes: [{ code: 'load_unknown', severity: 'warning', message: unknown, evidence: {} }],
    lines: { from: entry.from, to: entry.to },
  };
}

/**
 * TabbyAPI's log entry of each request: prompt speed without the cached part, generation speed, and times of both and of the
 * queue. The server measures the times. The engine is ExLlamaV2 or ExLlamaV3; the entry does not name it. The layout of May
 * 2024 divides all prompt tokens by the time of the uncached ones, so its prompt speed is ignored.
 *
 * Written by https://github.com/theroyallab/tabbyAPI/blob/main/common/gen_logging.py (`log_metrics`).
 */
export const tabbyapiMetrics: Adapter = {
  id,
  title: "TabbyAPI's metrics",
  kind: 'serving',
  recognises:
    'lines "N tokens generated in N seconds (Queue: N s, Process: ... T/s, Generate: N T/s, Context: N tokens)"',
  command: 'python main.py 2>&1 | tee result.txt',
  yields: true,
  detect: (artifact) => toClaims(id, findLogged(artifact)),
  read: (artifact, claim) => {
    const entries = findLogged(artifact);
    if (entries.length > maxResults) throw tooManyResults(claim.from);
    const first = countBefore(entries, claim.from);
    const ours = within(entries, claim);
    const results = ours.map((entry, index) => toResult(entry, first + index + 1));
    const ignored = ours.some(({ prompt }) => prompt === null) ? ['Process'] : [];
    return { tool: { name: 'TabbyAPI', version: null }, results, ignored, ...noRemarks };
  },
};
