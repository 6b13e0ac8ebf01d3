import type { MetricName } from '../../metrics/index.ts';
import { type Adapter, noFacts, noRemarks, noScenario, type ParsedResult } from '../adapter.ts';
import { maxResults, tooManyResults } from '../errors.ts';
import type { ArtifactText } from '../reading/artifact-text.ts';
import { countBefore } from '../reading/by-line.ts';
import { toClaims, within } from '../reading/json-records.ts';
import { parseNumber, shiftDecimal } from '../reading/numbers.ts';

const id = 'tabbyapi-metrics';

/** What is logged of one request. */
interface Logged {
  /** 1-based; both are the line. */
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

const loggedOf = new WeakMap<ArtifactText, Logged[]>();

function findLogged(artifact: ArtifactText): Logged[] {
  const known = loggedOf.get(artifact);
  if (known !== undefined) return known;
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
  loggedOf.set(artifact, all);
  return all;
}

const definitions: Record<string, string> = {
  prefill_tok_s: 'in_process',
  user_tok_s: 'in_process',
  e2e_ms_mean: 'request',
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
  const unknown = 'The log does not tell how many requests the server answered at the same time.';
  return {
    kind: 'serving',
    system: noFacts,
    scenario: noScenario,
    load: null,
    repetition,
    metrics: Object.fromEntries(metrics),
    definitions: Object.fromEntries(
      metrics.flatMap(([name]) => (definitions[name] ? [[name.replace(/_mean$/, ''), definitions[name]]] : [])),
    ),
    repeats: null,
    requests: null,
    limits: null,
    extra: { queue_s: line.queueS, cached_tokens: line.cachedTokens, prompt_tokens_evaluated: line.newTokens },
    notes: [{ code: 'load_unknown', severity: 'warning', message: unknown, evidence: {} }],
    measuredAt: null,
    lines: { from: line.from, to: line.to },
  };
}

/**
 * What TabbyAPI logs of each request: the speed of the prompt without its cached part, that of the answer, and the time of
 * both and the queue, timed in the server. Its engine is ExLlamaV2 or ExLlamaV3; the line does not tell which.
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
