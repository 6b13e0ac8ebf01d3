import { z } from 'zod';
import { recompute } from '../../records/recompute.ts';
import { nothingRecorded, type RequestRecord } from '../../records.ts';
import { type Adapter, type Fact, noFacts, noRemarks, noResult, noScenario, type SystemFacts } from '../adapter.ts';
import { ArtifactError } from '../errors.ts';
import { modelFacts } from '../reading/context/model-name.ts';
import { type JsonRecord, recordFinder, toClaims, within } from '../reading/documents/json-records.ts';
import { parseAt } from '../reading/documents/zod-faults.ts';
import { shiftDecimal } from '../reading/figures/numbers.ts';
import { type ReadOne, readEach } from '../reading/tables/read-each.ts';
import { loadUnknown } from '../vllm/serving.ts';

const id = 'deepspeed-mii';
const name = "DeepSpeed-MII's benchmark";

const count = z.number().int().positive();
const seconds = z.number().nonnegative();
const ArgumentsSchema = z.looseObject({
  model: z.string().max(500),
  backend: z.string().max(100).nullish(),
  tp_size: count.nullish(),
  num_replicas: count.nullish(),
  num_clients: count.nullish(),
  mean_prompt_length: count.nullish(),
  mean_max_new_tokens: count.nullish(),
  fp6: z.boolean().nullish(),
});
const ResponseSchema = z.looseObject({
  start_time: seconds.max(4e9),
  end_time: seconds.max(4e9),
  token_gen_time: z.array(seconds),
  generated_tokens: z.unknown(),
});
const ReportSchema = z.looseObject({ args: ArgumentsSchema, response_details: z.array(ResponseSchema).min(1) });
type Given = z.infer<typeof ArgumentsSchema>;
type Response = z.infer<typeof ResponseSchema>;

const findReports = recordFinder((value) => {
  const [response] = Array.isArray(value.response_details) ? value.response_details : [];
  const isResponse = typeof response === 'object' && response !== null && 'token_gen_time' in response;
  return isResponse && Object.hasOwn(value, 'args') ? 'whole' : null;
});

/** Servers that the benchmark starts. The others are endpoints, for which the widths are unused defaults. */
const engines = new Map([
  ['fastgen', 'deepspeed-mii'],
  ['vllm', 'vllm'],
]);

const inferred = (value: number | null | undefined): Fact<number> | null =>
  value == null ? null : { value, origin: 'inferred' };

function systemOf(given: Given): SystemFacts {
  const engine = engines.get(given.backend ?? '');
  const named = modelFacts(given.model, 'stated');
  if (engine === undefined) return { ...noFacts, ...named };
  const tensor = given.tp_size ?? null;
  return {
    ...noFacts,
    ...named,
    ...(given.fp6 === true ? { quantization: { value: 'fp6', origin: 'stated' } } : {}),
    engine: { value: engine, origin: 'stated' },
    gpuCount: tensor === null ? null : inferred(tensor * (given.num_replicas ?? 1)),
    parallelism: {
      ...(tensor === null ? {} : { tensor }),
      ...(given.num_replicas == null ? {} : { data: given.num_replicas }),
    },
  };
}

/** Seconds between two times of a clock whose resolution is a microsecond, in milliseconds. */
const elapsedMs = (from: number, to: number) => Number(((to - from) * 1000).toFixed(3));

/** Text is not counted: only a list has the number of tokens. Responses in one piece have no time of the first token. */
function toRequest({ start_time, end_time, token_gen_time, generated_tokens }: Response, first: number): RequestRecord {
  const [ttft, ...gaps] = token_gen_time.map((time) => shiftDecimal(time, 3));
  return {
    ...nothingRecorded,
    sentS: Number((start_time - first).toFixed(6)),
    outputTokens: Array.isArray(generated_tokens) ? generated_tokens.length : null,
    ttftMs: ttft ?? null,
    e2eMs: elapsedMs(start_time, end_time),
    gapsMs: ttft === undefined ? null : gaps,
  };
}

function readReport({ value, from, to }: JsonRecord): ReadOne {
  const { args: given, response_details: responses } = parseAt(ReportSchema, value, from);
  const backwards = responses.findIndex(({ start_time, end_time }) => end_time < start_time);
  if (backwards >= 0) {
    const pointer = `/response_details/${backwards}/end_time`;
    throw new ArtifactError([
      { code: 'value_invalid', line: from, pointer, message: `${pointer} is before start_time.` },
    ]);
  }
  const first = responses.reduce((least, { start_time }) => Math.min(least, start_time), Number.POSITIVE_INFINITY);
  const requests = responses.map((response) => toRequest(response, first));
  const { figures, definitions } = recompute(requests, null, {});
  const users = given.num_clients ?? null;
  const result = {
    ...noResult,
    system: systemOf(given),
    scenario: {
      ...noScenario,
      inputTokens: inferred(given.mean_prompt_length),
      outputTokens: inferred(given.mean_max_new_tokens),
    },
    load: users === null ? null : ({ mode: 'concurrency', level: users } as const),
    metrics: Object.fromEntries(figures.flatMap(({ name, value }) => (value === null ? [] : [[name, value]]))),
    definitions,
    requests,
    notes: users === null ? [loadUnknown({}, 'The file does not state the number of clients.')] : [],
    // The clock of the client counts seconds since 1970.
    measuredAt: first > 1.5e9 ? new Date(Math.floor(first) * 1000).toISOString() : null,
    lines: { from, to },
  };
  return { result, ignored: [] };
}

/**
 * The benchmark of DeepSpeed-FastGen, which also measures vLLM and endpoints: the settings and times of single requests. A
 * number of clients send the next request after each response. The lengths are means of normal distributions.
 *
 * Written by https://github.com/deepspeedai/DeepSpeedExamples/blob/master/benchmarks/inference/mii/src/utils.py
 */
export const deepspeedMii: Adapter = {
  id,
  title: name,
  kind: 'serving',
  recognises: 'JSON with args and response_details, whose items have start_time, end_time and token_gen_time',
  command: 'python run_benchmark.py --model MODEL --stream, and then send the JSON file below ./results',
  detect: (artifact) => toClaims(id, findReports(artifact)),
  read: (artifact, claim) => ({
    tool: { name, version: null },
    ...readEach(within(findReports(artifact), claim), claim.from, readReport),
    ...noRemarks,
  }),
};
