import type { MetricName } from '../../metrics/index.ts';
import { type Fact, noScenario, type ParsedResult, type Repeats, type SystemFacts } from '../adapter.ts';
import type { CommandLine } from '../reading/context/command-line.ts';
import { type LlamaTest, parseFileType } from './cells.ts';

/** One llama-bench test with its average in tokens per second, from any of the formats. */
export interface LlamaMeasurement {
  test: LlamaTest;
  average: number;
  /** Sample standard deviation over the repetitions; null if only the average is present. */
  sd: number | null;
  /** Repetitions; null if the format does not state them. */
  n: number | null;
  samples: number[] | null;
}

/**
 * Metrics of a test: a prompt measures prefill, generation measures decoding for one user, both together measure total
 * throughput.
 */
function metricsOf(test: LlamaTest): MetricName[] {
  if (test.promptTokens > 0 && test.generatedTokens > 0) return ['total_tok_s'];
  return test.promptTokens > 0 ? ['prefill_tok_s'] : ['decode_tok_s', 'user_tok_s'];
}

function toRepeats({ sd, n, samples }: LlamaMeasurement, names: readonly MetricName[]): Repeats | null {
  if (sd === null) return null;
  // With one repetition the tool writes a spread of 0, which is not a standard deviation.
  const known = n === 1 ? {} : Object.fromEntries(names.map((name) => [name, sd]));
  return { n, sd: known, samples: samples === null ? null : Object.fromEntries(names.map((name) => [name, samples])) };
}

/** Facts that all llama-bench formats share: one stream, timed in the process, without sampling or network. */
export function toFigures(
  measured: LlamaMeasurement,
): Pick<ParsedResult, 'scenario' | 'load' | 'repetition' | 'metrics' | 'definitions' | 'repeats'> {
  const { test, average } = measured;
  const names = metricsOf(test);
  return {
    scenario: {
      ...noScenario,
      name: { value: test.name, origin: 'stated' },
      inputTokens: { value: test.promptTokens, origin: 'stated' },
      outputTokens: { value: test.generatedTokens, origin: 'stated' },
      depth: test.depth,
    },
    load: { mode: 'batch', level: 1 },
    repetition: null,
    metrics: Object.fromEntries(names.map((name) => [name, average])),
    definitions: Object.fromEntries(names.filter((name) => name !== 'total_tok_s').map((name) => [name, 'in_process'])),
    repeats: toRepeats(measured, names),
  };
}

/** The version in llama.cpp's tag format. Builds 0 and 1 are checkouts without history and have no version. */
export function toBuildTag(number: number | null | undefined): string | null {
  return number === null || number === undefined || number <= 1 ? null : `b${number}`;
}

/** Options that llama.cpp does not have. */
const forkOptions = new Set(['-mla', '-fmoe', '-amb', '-rtr', '-ser', '--mla-use', '--fused-moe', '--run-time-repack']);

/** File types that llama.cpp does not have: `IQ4_KS`, `IQ2_KT`, `IQ2_BN`, and those with interleaved rows, such as `Q4_K_R4`. */
const forkType =
  /(?:^|\s)(?:IQ\d_(?:K|KSS?|KT|KL|BN)|Q6_0|Q8_KV|[A-Z]+\d{1,2}(?:_[A-Z0-9]{1,4}){0,2}_R(?:4|8|16))(?:_R\d{1,2})?(?=\s|$)/;

/** File types of bitnet.cpp, whose llama-bench prints llama.cpp's table. */
const bitnetType = /(?:^|\s)(?:I2_S|TL[12])(?=\s|$)/;

/** The engine that alone has the file type at the end of a printed model type; null for those of llama.cpp. */
export function engineOfType(printed: string): string | null {
  if (bitnetType.test(printed)) return 'bitnet.cpp';
  return forkType.test(printed) ? 'ik_llama.cpp' : null;
}

/** True if the program is in a folder of ik_llama.cpp or has its options. */
export const isForkCommand = (command: CommandLine | null) =>
  command?.words.some((word) => word.includes('ik_llama') || forkOptions.has(word)) ?? false;

/** The engine with the build from its tag. A fork, or a program that prints the same table, is inferred from what it prints. */
export function toLlamaEngine(
  number: number | null | undefined,
  engine = 'llama.cpp',
  isCertain = engine === 'llama.cpp',
): Pick<SystemFacts, 'engine' | 'engineVersion'> {
  const tag = toBuildTag(number);
  return {
    engine: { value: engine, origin: isCertain ? 'stated' : 'inferred' },
    engineVersion: tag === null ? null : { value: tag, origin: 'stated' },
  };
}

/** The file type at the end of a printed model type, as a fact. */
export function toFileType(printed: string): Fact<string> | null {
  const type = parseFileType(printed);
  return type === null ? null : { value: type.name, origin: type.isGuessed ? 'inferred' : 'stated' };
}
