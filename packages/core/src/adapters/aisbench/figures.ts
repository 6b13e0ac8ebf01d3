import type { MetricName } from '../../metrics/index.ts';
import { latencyName } from '../reading/figures/latency-name.ts';
import { isMissing, parseNumber, shiftDecimal } from '../reading/figures/numbers.ts';
import { noFigures, type ReportFigures } from '../reading/figures/report-figures.ts';
import type { AisTables } from './tables.ts';

/** The printed figures of one stage: the whole run (`total`), or the time at full load (`stable`). */
export interface AisFigures {
  stage: string;
  figures: ReportFigures;
  /** Tokens per answered request. */
  meanInput: number | null;
  meanOutput: number | null;
  sent: number | null;
  /** Requests in flight: the allowed maximum and the measured mean. */
  cap: number | null;
  inFlight: number | null;
  /** True if the first token arrived with the last. */
  cameAtOnce: boolean;
}

type Family = 'ttft_ms' | 'tpot_ms' | 'itl_ms' | 'e2e_ms';
const families: Record<string, Family> = { E2EL: 'e2e_ms', TTFT: 'ttft_ms', TPOT: 'tpot_ms', ITL: 'itl_ms' };

const common: Record<string, { unit: string; metric: MetricName }> = {
  'benchmark duration': { unit: 'ms', metric: 'duration_s' },
  'failed requests': { unit: '', metric: 'requests_failed' },
  'success requests': { unit: '', metric: 'requests_ok' },
  'request throughput': { unit: 'req/s', metric: 'req_s' },
  'total input tokens': { unit: '', metric: 'input_tokens' },
  'total generated tokens': { unit: '', metric: 'output_tokens' },
  'total output tokens': { unit: '', metric: 'output_tokens' },
  'input token throughput': { unit: 'token/s', metric: 'input_tok_s' },
  'output token throughput': { unit: 'token/s', metric: 'output_tok_s' },
  'total token throughput': { unit: 'token/s', metric: 'total_tok_s' },
};
const counts: Record<string, 'sent' | 'cap' | 'inFlight'> = {
  'total requests': 'sent',
  'max concurrency': 'cap',
  concurrency: 'inFlight',
};
/** Rates over a window that ends before some of the counted responses. */
const windowed = new Set<MetricName>(['duration_s', 'req_s', 'input_tok_s', 'output_tok_s', 'total_tok_s']);

/** A value followed by its unit; null, with an error, for anything else. Undefined if nothing was measured. */
function readValue(figures: ReportFigures, line: number, label: string, text: string, unit: string) {
  if (isMissing(text)) return undefined;
  const bare = unit !== '' && text.endsWith(` ${unit}`) ? text.slice(0, -unit.length - 1) : unit === '' ? text : '';
  const number = parseNumber(bare);
  if (number !== null && number >= 0) return number;
  const wanted = unit === '' ? 'a number' : `a number of ${unit}`;
  const message = `"${label}" should be ${wanted}, found "${text.slice(0, 60)}".`;
  figures.faults.push({ code: 'value_unreadable', line, message });
  return null;
}

function word(column: string): string {
  const lower = column.toLowerCase();
  return lower === 'average' ? 'mean' : lower;
}

function readRequests({ requests }: AisTables, run: AisFigures): void {
  if (requests === null) return;
  const { figures } = run;
  for (const { cells, line } of requests.rows) {
    const [label = '', stage = '', ...values] = cells;
    if (stage !== run.stage) continue;
    const family = families[label];
    const mean = values[requests.columns.indexOf('Average') - 2] ?? '';
    if (label === 'InputTokens') run.meanInput = readValue(figures, line, label, mean, '') ?? null;
    else if (label === 'OutputTokens') run.meanOutput = readValue(figures, line, label, mean, '') ?? null;
    else if (family === undefined) figures.ignored.add(label);
    if (family === undefined) continue;
    for (const [index, text] of values.entries()) {
      const column = requests.columns[index + 2] ?? '';
      if (column === 'N') continue;
      const value = readValue(figures, line, label, text, 'ms');
      if (value === undefined || value === null) continue;
      const name = latencyName(family, word(column));
      if (name.kind === 'metric') figures.metrics.set(name.name, value);
      else figures.extra[name.name] = value;
    }
  }
}

function readCommon({ common: grid }: AisTables, run: AisFigures): void {
  for (const { cells, line } of grid?.rows ?? []) {
    const [label = '', stage = '', text = ''] = cells;
    if (stage !== run.stage) continue;
    const key = label.toLowerCase();
    const known = Object.hasOwn(common, key) ? common[key] : undefined;
    const count = Object.hasOwn(counts, key) ? counts[key] : undefined;
    if (count !== undefined) run[count] = readValue(run.figures, line, label, text, '') ?? null;
    else if (known !== undefined) {
      const value = readValue(run.figures, line, label, text, known.unit);
      if (value === undefined || value === null) continue;
      const figure = known.unit === 'ms' ? shiftDecimal(value, -3) : value;
      if (run.stage !== 'total' && windowed.has(known.metric)) run.figures.extra[`stable_${known.metric}`] = figure;
      else if (figure > 0 || known.metric.startsWith('requests_')) run.figures.metrics.set(known.metric, figure);
    } else if (key === 'prefill token throughput') {
      // Tokens of all prompts divided by the sum of their times to first token: the speed of one request.
      const value = readValue(run.figures, line, label, text, 'token/s');
      if (value !== undefined && value !== null) run.figures.extra.prefill_tok_s_per_request = value;
    } else run.figures.ignored.add(label);
  }
}

/** Removes a latency that was not measured (zeros) or that repeats another one. */
function drop({ metrics, extra }: ReportFigures, family: Family): void {
  for (const name of metrics.keys()) if (name.startsWith(family)) metrics.delete(name);
  for (const name of Object.keys(extra)) if (name.startsWith(family)) delete extra[name];
}

/** The figures of all stages that a run prints, in order of appearance. */
export function readAisFigures(tables: AisTables): AisFigures[] {
  const rows = [...(tables.requests?.rows ?? []), ...(tables.common?.rows ?? [])];
  const stages = [...new Set(rows.map(({ cells }) => cells[1] ?? ''))];
  return stages.map((stage) => {
    const run: AisFigures = {
      stage,
      figures: noFigures(tables.from),
      meanInput: null,
      meanOutput: null,
      sent: null,
      cap: null,
      inFlight: null,
      cameAtOnce: false,
    };
    readRequests(tables, run);
    readCommon(tables, run);
    const { metrics } = run.figures;
    for (const family of Object.values(families)) if (metrics.get(`${family}_mean`) === 0) drop(run.figures, family);
    run.cameAtOnce = metrics.has('ttft_ms_mean') && metrics.get('ttft_ms_mean') === metrics.get('e2e_ms_mean');
    if (run.cameAtOnce) drop(run.figures, 'ttft_ms');
    return run;
  });
}
