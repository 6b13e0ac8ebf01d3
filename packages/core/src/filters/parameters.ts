import { z } from 'zod';
import { metrics } from '../metrics/index.ts';
import { loadModesOrUnspecified } from '../subjects/load.ts';
import { trustLevels, unrankedStatuses } from '../subjects/result.ts';
import { InstantSchema } from '../text/instant.ts';
import { NameSchema } from '../text/text.ts';
import { regimes } from '../workloads/regime.ts';
import { metricsOfBound } from './bounds.ts';
import {
  type Bound,
  type Filters,
  matchEngine,
  matchGpus,
  matchModel,
  matchQuantization,
  matchQuantizations,
  matchTool,
  matchWorkload,
} from './filters.ts';
import { minQuality, qualityWithin, readMinQuality, readQualityWithin } from './quality.ts';

/** Maximum values of one parameter. */
export const filterValuesMax = 100;

// `meta` documents the meaning of a value; a schema of the raw text would be less useful.

/** A parameter that may be repeated and matches any of its values. Arrives as one text or as a list. */
function anyOf<T>(value: z.ZodType<T, string>) {
  return z
    .union([z.string().transform((text) => [text]), z.array(z.string())])
    .pipe(z.array(value).min(1).max(filterValuesMax, `at most ${filterValuesMax} values`))
    .meta({ type: 'array', items: value.meta(), minItems: 1, maxItems: filterValuesMax });
}

/** Like `anyOf`, but one text may contain several values separated by commas. For values without commas. */
function anyOfWords<T>(value: z.ZodType<T, string>) {
  const words = (text: string) => text.split(',');
  return z
    .union([z.string().transform(words), z.array(z.string()).transform((texts) => texts.flatMap(words))])
    .pipe(z.array(value).min(1).max(filterValuesMax, `at most ${filterValuesMax} values`))
    .meta({ type: 'array', items: value.meta(), minItems: 1, maxItems: filterValuesMax });
}

/** A parameter that may be given once. */
function once<T>(value: z.ZodType<T, string>) {
  return z
    .string({ error: (issue) => (Array.isArray(issue.input) ? 'may be given only once' : undefined) })
    .pipe(value)
    .meta({ ...value.meta() });
}

const notNumber = 'must be a number, such as 20 or 0.5';
/** A finite number in any common notation of a double. */
const finite = z
  .string()
  .regex(/^-?(\d{1,16}(\.\d{1,20})?|\.\d{1,20})(e[+-]?\d{1,3})?$/i, notNumber)
  .transform(Number)
  .pipe(z.number(notNumber));
const number = finite.meta({ type: 'number', minimum: -1e15, maximum: 1e15 });
/** An upper limit of a metric, which is never negative. */
const upperLimit = finite
  .refine((value) => value >= 0, 'must be at least 0: no value is negative')
  .meta({ type: 'number', minimum: 0, maximum: 1e15 });
const positive = finite
  .refine((value) => value > 0, 'must be above 0, such as 8 or 0.5')
  .meta({ type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1e15 });
const count = z
  .string()
  .regex(/^\d{1,9}$/, 'must be a whole number, such as 8')
  .transform(Number)
  .meta({ type: 'integer', minimum: 0, maximum: 999_999_999 });
const positiveCount = z
  .string()
  .regex(/^(?=\d*[1-9])\d{1,9}$/, 'must be a positive whole number, such as 8')
  .transform(Number)
  .meta({ type: 'integer', minimum: 1, maximum: 999_999_999 });
const choice = <const L extends readonly string[]>(list: L) =>
  z
    .enum(list, { error: `must be one of ${list.join(', ')}` })
    .meta({ type: 'string', enum: list }) as unknown as z.ZodType<L[number], string>;

/** A text of one format, described in the API document. */
const written = (form: RegExp, says: string) =>
  z.string().regex(form, says).meta({ type: 'string', pattern: form.source });

/** The filters of all reads. Bounds on metrics are added from the registry below. */
const measuredMeans =
  'If the time of measurement is unknown, the date of the published source is used, or else the time of storage.';

export const filterShape = {
  model: anyOf(NameSchema)
    .optional()
    .describe('Model by catalogue id, alias or written name; a family matches its models.'),
  model_family: anyOf(NameSchema).optional().describe('Model family, such as llama-3.1.'),
  quantization: anyOf(NameSchema)
    .optional()
    .describe('Weight format by catalogue id, alias or written name; fp4 matches nvfp4 and mxfp4.'),
  gpu: anyOf(NameSchema)
    .optional()
    .describe(
      'GPU by catalogue id or alias; a family such as h100 matches its variants, a vendor such as amd all of its GPUs.',
    ),
  gpu_count: anyOf(positiveCount).optional().describe('GPUs used.'),
  min_gpu_count: once(count).optional().describe('Minimum number of GPUs.'),
  max_gpu_count: once(positiveCount).optional().describe('Maximum number of GPUs.'),
  gpu_power_limit_w: anyOf(positive).optional().describe('Power limit set on each GPU, in watts.'),
  min_gpu_power_limit_w: once(number).optional().describe('Minimum power limit set on each GPU, in watts.'),
  max_gpu_power_limit_w: once(positive).optional().describe('Maximum power limit set on each GPU, in watts.'),
  engine: anyOf(NameSchema).optional().describe('Serving software.'),
  engine_version: anyOf(NameSchema)
    .optional()
    .describe('Version of the serving software as stored; 0.10.x matches every version that begins with 0.10.'),
  not_model: anyOf(NameSchema).optional().describe('Models to exclude, named as in model.'),
  not_gpu: anyOf(NameSchema).optional().describe('GPUs to exclude, named as in gpu.'),
  not_quantization: anyOf(NameSchema).optional().describe('Weight formats to exclude, named as in quantization.'),
  not_engine: anyOf(NameSchema).optional().describe('Engines to exclude, named as in engine.'),
  min_context: once(count)
    .optional()
    .describe('Minimum tokens of context: the prompt and the depth before it, as stated by the workload.'),
  workload: anyOf(NameSchema)
    .optional()
    .describe('Workload: a shape such as chatbot, tg128 or 200-60, or a shape under a regime, such as chatbot-steady.'),
  regime: anyOf(choice(regimes)).optional().describe('How requests reached the server.'),
  scenario: anyOf(NameSchema).optional().describe('The same as workload.'),
  load_mode: anyOf(choice(loadModesOrUnspecified)).optional().describe('How the load was generated.'),
  load_level: anyOf(positive)
    .optional()
    .describe('Requests in flight, requests at once, requests per second or batch size.'),
  min_load_level: once(number).optional().describe('Minimum load level.'),
  max_load_level: once(positive).optional().describe('Maximum load level.'),
  trust: anyOf(choice(trustLevels)).optional().describe('The evidence for the result.'),
  account: anyOf(NameSchema).optional().describe('Id or name of the submitting account.'),
  tool: anyOf(NameSchema).optional().describe('Tool that wrote the artifact, by id or name.'),
  min_quality: anyOf(written(minQuality, 'must be a task and a fraction of the full score, such as gsm8k:0.75'))
    .optional()
    .describe(
      'Systems whose model, in its quantization, scores at least this on a task: `gsm8k:0.75`. If several tasks are given, all must be met.',
    ),
  quality_within: anyOf(written(qualityWithin, 'must be a task, a quantization and a share, such as gsm8k:bf16:1%'))
    .optional()
    .describe(
      'Systems whose model, in its quantization, scores at most this share below another quantization of it: `gsm8k:bf16:1%`.',
    ),
  since: once(InstantSchema).optional().describe(`Measured at or after this time. ${measuredMeans}`),
  until: once(InstantSchema).optional().describe(`Measured before this time. ${measuredMeans}`),
  include: anyOfWords(choice(unrankedStatuses))
    .optional()
    .describe(`Results that are excluded unless listed here, separated by commas: ${unrankedStatuses.join(', ')}.`),
} as const;

/** `min_<metric>` and `max_<metric>` for every metric. A bare latency such as max_itl_ms limits its mean. */
export const boundNames: readonly { parameter: string; bound: Omit<Bound, 'value'>; description: string }[] = (
  ['min', 'max'] as const
).flatMap((side) =>
  metrics.flatMap(({ name: metric, family, statistic, title }) => {
    const unit = family.unit === '' ? '' : ` in ${family.unit}`;
    const others = metricsOfBound({ metric, side }).slice(1);
    const higher = others.length === 0 ? '' : ` Points that do not state it qualify by ${others.join(' or ')}.`;
    const description = `${side === 'min' ? 'Minimum' : 'Maximum'} ${title}${unit}.${higher}`;
    const own = { parameter: `${side}_${metric}`, bound: { metric, side }, description };
    return statistic === 'mean' ? [{ ...own, parameter: `${side}_${family.base}` }, own] : [own];
  }),
);

export const boundShape: Record<string, z.ZodType<number | undefined>> = Object.fromEntries(
  boundNames.map(({ parameter, bound, description }) => [
    parameter,
    once(bound.side === 'max' ? upperLimit : number)
      .optional()
      .describe(description),
  ]),
);

/** Extra parameters of rankings: values of different formulas are not ranked together. */
export const definitionShape = {
  definition: once(NameSchema)
    .optional()
    .describe('Formula of the values, or the name of a group of formulas. Default: the one that most systems have.'),
};

/** How to count the points that a ranking omits. */
export const countShape = {
  count: z
    .enum(['exact'], { error: 'must be exact' })
    .optional()
    .describe(
      '`exact` counts all omitted points. By default, a count that needs a search stops after 10,000 points: see `excluded_at_least`.',
    ),
};

/** Filters of reads of single results. A board ranks systems, each by all of its results. */
export const originShape = {
  system: anyOf(NameSchema).optional().describe('System id.'),
  submission: anyOf(NameSchema).optional().describe('Submission id.'),
};

export type FilterParameters = z.output<z.ZodObject<typeof filterShape>> &
  Partial<z.output<z.ZodObject<typeof originShape>>>;

/** Converts validated parameters to filters. Drops undefined entries. */
export function toFilters(given: FilterParameters & Record<string, unknown>): Filters {
  const filters: Filters = { include: given.include ?? [], bounds: [] };
  const put = <K extends keyof Filters>(key: K, value: Filters[K] | undefined) => {
    if (value !== undefined) filters[key] = value;
  };
  put('model', given.model?.map(matchModel));
  put('modelFamily', given.model_family);
  put('quantization', given.quantization?.flatMap(matchQuantizations));
  put('gpu', given.gpu?.flatMap(matchGpus));
  put('gpuCount', given.gpu_count);
  put('minGpuCount', given.min_gpu_count);
  put('maxGpuCount', given.max_gpu_count);
  put('gpuPowerLimitW', given.gpu_power_limit_w);
  put('minGpuPowerLimitW', given.min_gpu_power_limit_w);
  put('maxGpuPowerLimitW', given.max_gpu_power_limit_w);
  put('notModel', given.not_model?.map(matchModel));
  put('notGpu', given.not_gpu?.flatMap(matchGpus));
  put('notQuantization', given.not_quantization?.flatMap(matchQuantizations));
  put('notEngine', given.not_engine?.map(matchEngine));
  put('minContext', given.min_context);
  put('engine', given.engine?.map(matchEngine));
  put('engineVersion', given.engine_version);
  const workloads = [...(given.scenario ?? []), ...(given.workload ?? [])].map(matchWorkload);
  put('workload', workloads.length === 0 ? undefined : [...new Set(workloads)]);
  put('regime', given.regime);
  put('loadMode', given.load_mode);
  put('loadLevel', given.load_level);
  put('minLoadLevel', given.min_load_level);
  put('maxLoadLevel', given.max_load_level);
  put('trust', given.trust);
  put('account', given.account);
  put('tool', given.tool?.flatMap(matchTool));
  put('system', given.system);
  put('submission', given.submission);
  const quality = [
    ...(given.min_quality ?? []).map(readMinQuality),
    ...(given.quality_within ?? []).map((text) => readQualityWithin(text, matchQuantization)),
  ];
  put('quality', quality.length === 0 ? undefined : quality);
  put('since', given.since);
  put('until', given.until);
  for (const { parameter, bound } of boundNames) {
    const value = given[parameter];
    if (typeof value === 'number') filters.bounds.push({ ...bound, value });
  }
  return filters;
}
