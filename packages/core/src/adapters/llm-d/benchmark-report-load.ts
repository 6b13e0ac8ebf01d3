import type { KnownLoad } from '../../subjects/load.ts';
import { type Fact, noScenario, type ScenarioFacts } from '../adapter.ts';
import type { JsonValue } from '../reading/documents/json.ts';
import { isObject, type JsonObject, objectOf } from '../reading/documents/json-records.ts';
import { measuredLengths } from '../reading/figures/measured-lengths.ts';
import { parseNumber } from '../reading/figures/numbers.ts';

/** The load in a report. */
export interface ReportedLoad {
  /** The load generator by its project name; null if not stated. */
  harness: string | null;
  harnessVersion: string | null;
  /** Requests per second; infinite if all were sent at once. */
  rate: number | null;
  /** Maximum requests in flight; infinite if there was no limit. */
  concurrency: number | null;
  /** 1 is Poisson. */
  burstiness: number | null;
  /** Stage of a multi-stage run; null if not stated. */
  stage: number | null;
  isMultiTurn: boolean;
  input: Fact<number> | null;
  output: Fact<number> | null;
  dataset: string | null;
}

function textOf(value: JsonValue | undefined): string | null {
  return typeof value === 'string' && value.trim() !== '' && value.length <= 100 ? value.trim() : null;
}

/** A number above 0, including infinity. Also accepts text, as in arguments and vLLM's files. */
function levelOf(value: JsonValue | undefined): number | null {
  if (typeof value === 'string' && /^\.?inf(?:inity)?$/i.test(value.trim())) return Number.POSITIVE_INFINITY;
  const number = typeof value === 'string' ? parseNumber(value) : value;
  return typeof number === 'number' && number > 0 ? number : null;
}

/** A length that all requests had is stated. A mean, or a length to vary around, is a hint. */
function lengthOf(value: JsonValue | undefined): Fact<number> | null {
  const { distribution, value: length } = objectOf(value);
  if (typeof length !== 'number' || !(length >= 1) || length > 1e9) return null;
  const isFixed = distribution === 'fixed' && Number.isInteger(length);
  return { value: Math.round(length), origin: isFixed ? 'stated' : 'inferred' };
}

/** The kind of data in an inference-perf configuration, and whether its arrivals are a Poisson process. */
function fromConfig(config: JsonObject): Pick<ReportedLoad, 'dataset' | 'burstiness'> {
  return {
    dataset: textOf(objectOf(config.data).type),
    burstiness: objectOf(config.load).type === 'poisson' ? 1 : null,
  };
}

/** `scenario.load` of a report since 0.2. */
export function readStandardLoad(load: JsonObject): ReportedLoad {
  const fields = objectOf(load.standardized);
  const native = objectOf(load.native);
  const args = objectOf(native.args);
  const config = fromConfig(objectOf(native.config));
  const named = textOf(args['dataset-name'] ?? args.dataset_name);
  const random = fields.source === 'random' ? 'random' : null;
  return {
    harness: textOf(fields.tool),
    harnessVersion: textOf(fields.tool_version),
    rate: levelOf(fields.rate_qps),
    concurrency: levelOf(fields.concurrency),
    burstiness: levelOf(args.burstiness) ?? config.burstiness,
    stage: typeof fields.stage === 'number' ? fields.stage : null,
    isMultiTurn: isObject(fields.multi_turn) && fields.multi_turn.enabled !== false,
    input: lengthOf(fields.input_seq_len),
    output: lengthOf(fields.output_seq_len),
    dataset: named ?? config.dataset ?? random,
  };
}

/** Rate and concurrency of a stage, in the terms of inference-perf and GuideLLM. */
function fromStage(
  harness: string | null,
  args: JsonObject,
  stage: number,
): Pick<ReportedLoad, 'rate' | 'concurrency'> {
  const none = { rate: null, concurrency: null };
  const at = (list: JsonValue | undefined) => (Array.isArray(list) ? list[stage] : undefined);
  if (harness === 'inference-perf') {
    const found = objectOf(at(objectOf(args.load).stages));
    return { rate: levelOf(found.rate), concurrency: levelOf(found.concurrency_level) };
  }
  if (harness === 'aiperf') return { ...none, concurrency: levelOf(objectOf(args.loadgen).concurrency) };
  if (harness !== 'guidellm') return none;
  const level = levelOf(at(args.rate));
  if (args.profile === 'synchronous') return { ...none, concurrency: 1 };
  if (args.profile === 'concurrent') return { ...none, concurrency: level };
  return args.profile === 'constant' || args.profile === 'poisson' || args.profile === 'async'
    ? { ...none, rate: level }
    : none;
}

/** `scenario.load` of a report 0.1, which contains the arguments of its load generator. */
export function readNativeLoad(load: JsonObject): ReportedLoad {
  const args = objectOf(load.args);
  const { stage } = objectOf(load.metadata);
  const harness = textOf(load.name);
  const found = fromStage(harness, args, typeof stage === 'number' ? stage : 0);
  const config = fromConfig(args);
  return {
    harness,
    harnessVersion: null,
    rate: levelOf(args.request_rate) ?? found.rate,
    concurrency: levelOf(args.max_concurrency) ?? found.concurrency,
    burstiness: levelOf(args.burstiness) ?? (args.profile === 'poisson' ? 1 : config.burstiness),
    stage: typeof stage === 'number' ? stage : null,
    isMultiTurn: false,
    input: null,
    output: null,
    dataset: config.dataset,
  };
}

const isLevel = (value: number | null): value is number => value !== null && Number.isFinite(value);

/** The requested load; null if not stated. `sent` counts requests. */
export function toReportedLoad(reported: ReportedLoad, sent: number | null): KnownLoad | null {
  const { harness, rate, concurrency, burstiness } = reported;
  // inference-perf records the rate that resulted from its users as the requested rate.
  const isClosed = isLevel(concurrency) && (!isLevel(rate) || harness === 'inference-perf');
  if (isClosed) {
    const isBurst = rate === Number.POSITIVE_INFINITY && sent !== null && sent > 0 && concurrency >= sent;
    return isBurst ? { mode: 'burst', level: sent } : { mode: 'concurrency', level: concurrency };
  }
  if (isLevel(rate))
    return {
      mode: 'rate',
      level: rate,
      ...(isLevel(burstiness) ? { burstiness } : {}),
      ...(isLevel(concurrency) ? { maxConcurrency: concurrency } : {}),
    };
  return rate !== null && sent !== null && sent > 0 ? { mode: 'burst', level: sent } : null;
}

/** The workload: the requested lengths and their means. */
export function toReportedScenario(
  reported: ReportedLoad,
  meanInput: number | null,
  meanOutput: number | null,
): ScenarioFacts {
  return {
    ...noScenario,
    inputTokens: reported.input,
    outputTokens: reported.output,
    ...measuredLengths(meanInput, meanOutput),
    dataset: reported.dataset === null ? null : { value: reported.dataset, origin: 'stated' },
  };
}
