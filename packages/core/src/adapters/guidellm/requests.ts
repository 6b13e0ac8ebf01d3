import type { Fault } from '../../errors.ts';
import { nothingRecorded, type RequestRecord } from '../../records.ts';
import type { KnownLoad } from '../../subjects/load.ts';
import type { ParsedResult, ReaderNote } from '../adapter.ts';
import { addFaults, maxFaults, maxResults, tooManyResults, unreadable } from '../errors.ts';
import { createRecordBudget } from '../native/requests.ts';
import type { JsonValue } from '../reading/documents/json.ts';
import { isObject, type JsonObject, type JsonRecord, objectOf } from '../reading/documents/json-records.ts';
import { shiftDecimal } from '../reading/figures/numbers.ts';
import { noFigures } from '../reading/figures/report-figures.ts';
import { textOf, toInstant, toModel } from './facts.ts';
import { type GuideRun, toGuideResult } from './run.ts';
import { formatStrategy, type Strategy, toLoad, toWorkload } from './workload.ts';

type RecordBudget = ReturnType<typeof createRecordBudget>;

const listOf = (value: JsonValue | undefined): readonly JsonValue[] => (Array.isArray(value) ? value : []);

/** Whether an item of `benchmarks` is from version 0.1, which wrote single requests and no figures. */
function isBenchmark(value: JsonValue | undefined): value is JsonObject {
  if (!isObject(value) || typeof value.mode !== 'string') return false;
  return Array.isArray(value.results) && Array.isArray(value.concurrencies);
}

const isRun = (value: JsonValue): boolean => isObject(value) && listOf(value.benchmarks).some(isBenchmark);

/** Whether a document is a report of version 0.1: a run, or a list of runs as saved. */
export function isRequestReport(value: JsonObject): boolean {
  return isRun(value) || listOf(value.benchmarks).some(isRun);
}

const isTime = (value: JsonValue | undefined): value is number =>
  typeof value === 'number' && value >= 0 && value < 4e9;
const isTokens = (value: JsonValue | undefined): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

/** Times since 1970 have a resolution of a quarter microsecond. Differences in ms are rounded to a microsecond. */
const round = (value: number) => Number(value.toFixed(3));

interface Timed {
  record: RequestRecord;
  startS: number;
  endS: number;
}

/**
 * The gaps between the chunks of a response in ms. The last chunk was not counted as a token; its gap is the rest
 * of the total time.
 */
function readGaps(value: JsonValue | undefined, leftMs: number, budget: RecordBudget): number[] | null {
  const { data } = objectOf(value);
  if (!Array.isArray(data)) return null;
  budget.gaps -= data.length + 1;
  const gaps: number[] = [];
  let sum = 0;
  for (const gap of data) {
    if (!isTime(gap)) return null;
    gaps.push(shiftDecimal(gap, 3));
    sum += gap * 1000;
  }
  if (leftMs - sum > 0) gaps.push(round(leftMs - sum));
  return gaps;
}

function readRequest(value: JsonValue, at: string, line: number, budget: RecordBudget, faults: Fault[]): Timed | null {
  const fault = (name: string, expected: string) => {
    const pointer = `${at}/${name}`;
    addFaults(faults, [{ code: 'value_invalid', line, pointer, message: `${pointer}: expected ${expected}` }]);
    return null;
  };
  if (!isObject(value)) return fault('', 'an object');
  const { start_time: startS, end_time: endS, first_token_time: first, output_token_count: output } = value;
  if (!isTime(startS)) return fault('start_time', 'seconds since 1970');
  if (!isTime(endS) || endS < startS) return fault('end_time', 'seconds since 1970, after start_time');
  if (first !== null && first !== undefined && !isTime(first)) return fault('first_token_time', 'seconds, or null');
  if (!isTokens(output)) return fault('output_token_count', 'a number of tokens');
  // If the prompt was not tokenized, the request has a count of words instead.
  const input = objectOf(value.request).prompt_token_count;
  const e2eMs = round((endS - startS) * 1000);
  const ttftMs = typeof first === 'number' && first > 0 ? shiftDecimal(first, 3) : null;
  const record: RequestRecord = {
    ...nothingRecorded,
    inputTokens: isTokens(input) ? input : null,
    outputTokens: output,
    ttftMs,
    e2eMs: e2eMs > 0 ? e2eMs : null,
    gapsMs: ttftMs === null ? null : readGaps(value.decode_times, e2eMs - ttftMs, budget),
  };
  return { record, startS, endS };
}

/** Maximum requests in flight, all started requests, and requests cut off at the end of the run. */
function readFlight(value: JsonValue | undefined): { most: number; begun: number; left: number } {
  const flight = { most: 0, begun: 0, left: 0 };
  for (const item of listOf(value)) {
    const { processing } = objectOf(item);
    if (!isTokens(processing)) continue;
    if (processing > flight.left) flight.begun++;
    flight.most = Math.max(flight.most, processing);
    flight.left = processing;
  }
  return flight;
}

/** Arrivals are evenly spaced, except for a Poisson process, which only the arguments show. */
function strategyOf(item: JsonObject, args: JsonObject, most: number): Strategy {
  const mode = textOf(item.mode) ?? '';
  const arrivals = args.mode === 'poisson' ? 'poisson' : 'constant';
  const rate = typeof item.rate === 'number' ? item.rate : null;
  return {
    kind: mode === 'asynchronous' ? arrivals : mode.slice(0, 60),
    rate,
    streams: null,
    maxConcurrency: mode === 'throughput' && most > 0 ? most : null,
  };
}

const chunksCounted: ReaderNote = {
  code: 'tokens_are_chunks',
  severity: 'info',
  message: 'Output tokens are counted as chunks of the stream, as version 0.1 did; a chunk may hold several tokens.',
  evidence: {},
};

const isUsed = new Set([
  ...['mode', 'rate', 'results', 'errors', 'concurrencies'],
  ...['request', 'output_token_count', 'start_time', 'end_time', 'first_token_time', 'decode_times'],
]);

function readBenchmark(
  item: JsonObject,
  args: JsonObject,
  at: string,
  { from, to }: JsonRecord,
  budget: RecordBudget,
  faults: Fault[],
): { run: GuideRun; requests: RequestRecord[] } {
  const figures = noFigures(from);
  const names = [item, objectOf(listOf(item.results)[0])].flatMap((value) => Object.keys(value));
  for (const name of names) if (!isUsed.has(name)) figures.ignored.add(name);
  const timed: Timed[] = [];
  for (const [index, result] of listOf(item.results).entries()) {
    const one = readRequest(result, `${at}/results/${index}`, from, budget, faults);
    if (one !== null) timed.push(one);
    budget.requests--;
    if (faults.length >= maxFaults || budget.requests < 0 || budget.gaps < 0) break;
  }
  const failed = listOf(item.errors).length;
  budget.requests -= failed;
  if (budget.requests < 0 || budget.gaps < 0) {
    const { requests, gaps } = createRecordBudget();
    const message = `The artifact has more than the maximum of ${requests} requests or ${gaps} gaps between chunks.`;
    throw unreadable(from, 'requests_too_many', message);
  }
  let [first, last] = [Number.POSITIVE_INFINITY, 0];
  for (const { startS, endS } of timed) [first, last] = [Math.min(first, startS), Math.max(last, endS)];
  const flight = readFlight(item.concurrencies);
  figures.metrics.set('requests_ok', timed.length).set('requests_failed', failed);
  figures.extra.requests_incomplete = flight.left;
  const seconds = Number((last - first).toFixed(6));
  if (timed.length > 0 && seconds > 0) figures.metrics.set('duration_s', seconds);
  const strategy = strategyOf(item, args, flight.most);
  const load: KnownLoad | null = toLoad(strategy, { all: flight.begun, cutOff: 0 });
  const failure: RequestRecord = { ...nothingRecorded, error: 'failed' };
  return {
    run: {
      from,
      to,
      generation: 'in 0.1',
      figures,
      strategy: formatStrategy(strategy),
      load,
      model: toModel(textOf(args.model)),
      workload: toWorkload(args.data),
      meanInput: null,
      meanOutput: null,
      isAnswered: timed.length > 0,
      countsCutOff: false,
      measuredAt: timed.length > 0 ? toInstant(first) : null,
    },
    requests: [
      ...timed.map(({ record, startS }) => ({ ...record, sentS: Number((startS - first).toFixed(6)) })),
      ...Array.from({ length: failed }, () => failure),
    ],
  };
}

/** Reads a report of 0.1. Errors and unused names are added to the lists. */
export function readRequestReport(record: JsonRecord, faults: Fault[], ignored: Set<string>): ParsedResult[] {
  const runs = isRun(record.value) ? [record.value] : listOf(record.value.benchmarks);
  const results: ParsedResult[] = [];
  const budget = createRecordBudget();
  for (const [index, run] of runs.entries()) {
    const at = isRun(record.value) ? record.pointer : `${record.pointer}/benchmarks/${index}`;
    for (const [position, item] of listOf(objectOf(run).benchmarks).entries()) {
      if (faults.length >= maxFaults) return results;
      if (results.length >= maxResults) throw tooManyResults(record.from);
      const pointer = `${at}/benchmarks/${position}`;
      if (!isBenchmark(item)) {
        const message = `${pointer}: expected a benchmark with mode, results and concurrencies`;
        addFaults(faults, [{ code: 'value_invalid', line: record.from, pointer, message }]);
        continue;
      }
      const read = readBenchmark(item, objectOf(objectOf(run).args), pointer, record, budget, faults);
      for (const name of read.run.figures.ignored) ignored.add(name);
      const result = toGuideResult(read.run);
      if (read.run.isAnswered) result.notes.push(chunksCounted);
      results.push({ ...result, requests: read.requests });
    }
  }
  return results;
}
