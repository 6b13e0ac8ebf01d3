import { z } from 'zod';
import type { SystemFacts } from '../adapter.ts';
import { toFileType } from '../llama-cpp/figures.ts';
import { toModelName } from '../reading/context/model-name.ts';
import { countNames, type JsonRecord, recordFinder } from '../reading/documents/json-records.ts';
import { parseAt } from '../reading/documents/zod-faults.ts';
import { type LocalScoreRun, type LocalScoreTest, positive } from './test.ts';

const figure = z
  .preprocess(
    (value) => (typeof value === 'number' && !Number.isFinite(value) ? null : value),
    z.number().nonnegative().nullable(),
  )
  .nullish();
const word = z.string().max(500).nullish();
const tokens = z.number().int().nonnegative().max(1e9);

const TestSchema = z.looseObject({
  build_commit: word,
  build_number: z.number().nullish(),
  model_name: word,
  model_filename: word,
  model_type: z.string().min(1).max(200),
  model_size: figure,
  model_n_params: figure,
  n_prompt: tokens,
  n_gen: tokens,
  name: word,
  test_time: word,
  avg_time_ms: figure,
  prompt_tps: figure,
  prompt_tps_stddev: figure,
  gen_tps: figure,
  gen_tps_stddev: figure,
  power_watts: figure,
  ttft_ms: figure,
});
type TestRecord = z.infer<typeof TestSchema>;

const ReportSchema = z.looseObject({
  runtime_info: z.looseObject({ name: word, version: word, commit: word }),
  system_info: z.looseObject({ cpu_name: word }),
  accelerator_info: z.looseObject({ name: word, type: word }),
  results: z.array(TestSchema).min(1).max(10_000),
  results_summary: z.looseObject({ performance_score: figure }),
});
type Report = z.infer<typeof ReportSchema>;

const required = ['runtime_info', 'system_info', 'accelerator_info', 'results', 'results_summary'];
/** Not stored: other facts of the machine, and values that follow from other figures. */
const known = new Set(Object.keys(TestSchema.shape));

/** Reports of the client, and of other clients with the same format. */
export const findLocalScoreReports = recordFinder((value) =>
  countNames(value, required) === required.length ? 'whole' : null,
);

function isGpu({ accelerator_info: { name, type } }: Report): boolean {
  return /^gpu$/i.test(type ?? '') && (name ?? '') !== '';
}

function toSystem(report: Report, test: TestRecord): SystemFacts {
  const { runtime_info: runtime, accelerator_info: accelerator } = report;
  const model = toModelName(test.model_filename ?? '');
  return {
    model: model === null ? null : { value: model, origin: 'stated' },
    quantization: toFileType(test.model_type),
    gpu: isGpu(report) ? { value: accelerator.name ?? '', origin: 'stated' } : null,
    gpuCount: isGpu(report) ? { value: 1, origin: 'stated' } : null,
    gpuPowerLimitW: null,
    engine: runtime.name ? { value: runtime.name, origin: 'stated' } : null,
    engineVersion: runtime.name && runtime.version ? { value: runtime.version, origin: 'stated' } : null,
    parallelism: {},
    features: {},
  };
}

function toInstant(text: string | null | undefined): string | null {
  return text != null && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text) && !Number.isNaN(Date.parse(text))
    ? text
    : null;
}

export interface LocalScoreReport {
  tests: { test: LocalScoreTest; run: LocalScoreRun }[];
  ignored: Set<string>;
}

/** Reads a report. Throws `ArtifactError` if it is not in the program's format. */
export function readLocalScoreReport({ value, from, to }: JsonRecord): LocalScoreReport {
  const data = parseAt(ReportSchema, value, from);
  const score = positive(data.results_summary.performance_score);
  const ignored = new Set(Object.keys(data).filter((name) => !required.includes(name)));
  const tests = data.results.map((test) => {
    for (const name of Object.keys(test)) if (!known.has(name)) ignored.add(name);
    return {
      test: {
        from,
        to,
        promptTokens: test.n_prompt,
        generatedTokens: test.n_gen,
        promptTokS: test.prompt_tps ?? null,
        generatedTokS: test.gen_tps ?? null,
        ttftMs: test.ttft_ms ?? null,
        wholeMs: test.avg_time_ms ?? null,
        // Processor power is not GPU power.
        powerW: isGpu(data) ? (test.power_watts ?? null) : null,
        promptSd: test.prompt_tps_stddev ?? null,
        generatedSd: test.gen_tps_stddev ?? null,
      },
      run: {
        system: toSystem(data, test),
        measuredAt: toInstant(test.test_time),
        extra: {
          printed_model: test.model_type,
          ...(data.system_info.cpu_name ? { cpu_info: data.system_info.cpu_name } : {}),
          ...(test.model_size ? { file_bytes: test.model_size } : {}),
          ...(test.model_n_params ? { params: test.model_n_params } : {}),
          ...(test.build_commit ? { build_commit: test.build_commit } : {}),
          ...(score === null ? {} : { performance_score: score }),
        },
      },
    };
  });
  return { tests, ignored };
}
