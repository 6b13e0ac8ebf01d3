import type { MetricName } from '../../metrics/index.ts';
import { type Adapter, noRemarks, noResult, type ParsedResult } from '../adapter.ts';
import { maxResults, tooManyResults } from '../errors.ts';
import { toClaims, within } from '../reading/documents/json-records.ts';
import { parseNumber, shiftDecimal } from '../reading/figures/numbers.ts';
import { definitionsOf } from '../reading/figures/report-figures.ts';
import { countBefore } from '../reading/text/by-line.ts';
import { remembered } from '../reading/text/remembered.ts';

const id = 'tabbyapi-metrics';

/** The log line of one request. */
interface Logged {
  /** 1-based; both are the same line. */
  from: number;
  to: number;
  outputTokens: number;
  seconds: number;
  queueS: number;
  cachedTokens: number;
  newTokens: number;
  promptTokS: number | null;
  outputTokS: number;
  inputTokens: number;
}

const number = String.raw`(\d{1,9}(?:\.\d{1,6})?)`;
const logged = new RegExp(
  String.raw`(?:^|[\s:])(\d{1,9}) tokens generated in ${number} seconds \(Queue: ?${number} s, Process: (\d{1,9}) cached tokens and (\d{1,9}) new tokens at (\S{1,16}) T/s, Generate: ${number} T/s, Context: (\d{1,9}) tokens\)`,
);
const longest = 600;

const findLogged = remembered((artifact): Logged[] => {
  const all = artifact.linesWith(' tokens generated in ').flatMap((line): Logged[] => {
    const text = artifact.lineAt(line);
    const found = text.length > longest ? null : logged.exec(text);
    if (found === null) return [];
    const [outputTokens = 0, seconds = 0, queueS = 0, cachedTokens = 0, newTokens = 0] = found.slice(1, 6).map(Number);
    const [outputTokS = 0, inputTokens = 0] = found.slice(7, 9).map(Number);
    if (outputTokS <= 0 || outputTokens === 0) return [];
    const promptTokS = newTokens === 0 ? null : parseNumber(found[6] ?? '');
    return [
      {
        from: line,
        to: line,
        outputTokens,
        seconds,
        queueS,
        cachedTokens,
        newTokens,
        promptTokS,
        outputTokS,
        inputTokens,
      },
    ];
  });
  return all;
});

const definitions: Record<string, string> = {
  prefill_tok_s: 'in_process',
  user_tok_s: 'in_process',
  e2e_ms: 'request',
};

function toResult(line: Logged, repetition: number): ParsedResult {
  const found: [MetricName, number | null][] = [
    ['prefill_tok_s', line.promptTokS],
    ['user_tok_s', line.outputTokS],
    ['e2e_ms_mean', shiftDecimal(line.seconds, 3)],
    ['requests_ok', 1],
    ['input_tokens', line.inputTokens],
    ['output_tokens', line.outputTokens],
  ];
  const metrics = found.filter((entry): entry is [MetricName, number] => entry[1] !== null && entry[1] > 0);
  const unknown = 'The log does not state how many requests the server answered at the same time.';
  return {
    ...noResult,
    repetition,
    metrics: Object.fromEntries(metrics),
    definitions: definitionsOf(metrics, definitions),
    extra: { queue_s: line.queueS, cached_tokens: line.cachedTokens, prompt_tokens_evaluated: line.newTokens },
    notes: [{ code: 'load_unknown', severity: 'warning', message: unknown, evidence: {} }],
    lines: { from: line.from, to: line.to },
  };
}

/**
 * TabbyAPI's log line of each request: prompt speed without the cached part, generation speed, and times of both and of the
 * queue. The server measures the times. The engine is ExLlamaV2 or ExLlamaV3; the line does not name it.
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
    const lines = findLogged(artifact);
    if (lines.length > maxResults) throw tooManyResults(claim.from);
    const first = countBefore(lines, claim.from);
    const results = within(lines, claim).map((line, index) => toResult(line, first + index + 1));
    return { tool: { name: 'TabbyAPI', version: null }, results, ignored: [], ...noRemarks };
  },
};
