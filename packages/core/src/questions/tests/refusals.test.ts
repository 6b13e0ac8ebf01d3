import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DomainError } from '../../errors.ts';
import { parseQuestion } from '../index.ts';

function refusalOf(question: string, gpuUsdPerHour?: number): DomainError {
  try {
    parseQuestion(question, { gpuUsdPerHour });
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
  throw new Error(`"${question}" was understood`);
}

/** The phrase of each fault, and the reason. */
const faultsOf = (question: string) =>
  refusalOf(question).faults.map(({ code, message }) => [code, /^"(.*?)" /.exec(message)?.[1] ?? null]);

describe('rejects without guessing', () => {
  test.each<[string, [string, string | null][]]>([
    ['best model on h100 without rag', [['negation_unfit', 'without rag']]],
    ['best model not since 2026-06-01', [['negation_unfit', 'not since 2026-06-01']]],
    ['llama 32b', [['models_apart', '32b']]],
    ['h100 vs vllm', [['sides_missing', 'vs']]],
    ['compare h100', [['sides_missing', 'compare']]],
    ['worst model on h100', [['word_unknown', 'worst']]],
    ['models under 20 ms on h100', [['limit_without_metric', '20 ms']]],
    ['models under -20 ms itl', [['limit_negative', 'under -20 ms itl']]],
    ['best model with itl below -5ms on h100', [['limit_negative', 'itl below -5ms']]],
    ['ttft between -5 and 10 ms', [['limit_negative', 'ttft between -5 and 10 ms']]],
    ['fewer than -3 users on h100', [['limit_negative', 'fewer than -3 users']]],
    ['ttft under 500', [['unit_unfit', '500']]],
    ['throughput under 20 ms', [['unit_unfit', '20 ms']]],
    ['mbu over 60', [['unit_unfit', '60']]],
    ['ttft over 50 %', [['unit_unfit', '50 %']]],
    ['cost under 3', [['limit_on_cost', '3']]],
    [
      'ttft and tpot on h100',
      [
        ['metric_without_role', 'ttft'],
        ['metric_without_role', 'tpot'],
      ],
    ],
    ['median throughput over 5', [['word_unknown', 'median']]],
    ['highest model on h100', [['rank_without_metric', 'highest']]],
    ['fastest model with the lowest ttft', [['rank_twice', 'lowest ttft']]],
    ['fastest power', [['metric_without_role', 'power']]],
    ['best model and gpu', [['subject_twice', 'gpu']]],
    ['itl over 30 ms and itl under 20 ms', [['limits_contradict', 'itl under 20 ms']]],
    ['itl under 30 ms and under 20 ms itl', [['limits_contradict', 'under 20 ms itl']]],
    ['ttft between 20 and 10 ms', [['limits_contradict', 'ttft between 20 and 10 ms']]],
    ['since 2026-06-01 before 2026-06-01', [['limits_contradict', 'before 2026-06-01']]],
    ['concurrency at least 64 at most 32 users', [['limits_contradict', 'at most 32 users']]],
    ['best model on 2x h200 or 4x h100', [['pairs_mixed', '4x h100']]],
    [
      'best model on 2x h200 or h100',
      [
        ['or_between_unlike', 'or'],
        ['pairs_mixed', 'h100'],
      ],
    ],
    ['2x h200 on 4 gpus', [['pairs_mixed', '4 gpus']]],
    ['concurrency 8 or queue depth 64', [['pairs_mixed', 'queue depth 64']]],
    ['on h100 or with vllm', [['or_between_unlike', 'or']]],
    ['exl2 on h100', [['name_ambiguous', 'exl2']]],
    ['best scenario on h100', [['name_missing', 'scenario']]],
    ['top 5 models top 3', [['limit_twice', 'top 3']]],
    ['top 101 models', [['limit_out_of_range', 'top 101']]],
    [
      'since 2026-02-30',
      [
        ['word_unknown', 'since'],
        ['word_unknown', '2026-02-30'],
      ],
    ],
    [
      'last month',
      [
        ['word_unknown', 'last'],
        ['word_unknown', 'month'],
      ],
    ],
    ['llama 3.1 8b latest', [['word_unknown', 'latest']]],
    ['h100 141gb', [['memory_unused', '141gb']]],
    ['best "h100"', [['word_unknown', '"h100"']]],
    ['h100 at $3 per gpu hour', [['price_unused', 'at $3 per gpu hour']]],
    [
      '8 requests on h100',
      [
        ['word_unknown', '8'],
        ['word_unknown', 'requests'],
      ],
    ],
    ['best gpu with p99', [['statistic_alone', 'p99']]],
  ])('%s', (question, faults) => {
    expect(refusalOf(question).code).toBe('query_not_understood');
    expect(faultsOf(question)).toEqual(faults);
  });
});

describe('a mistyped word', () => {
  test.each([
    ['fastes model on h100', 'fastes', 'fastest'],
    ['best lama-3.1-8b system', 'lama-3.1-8b', 'llama-3.1-8b'],
    ['best gpu for deepseak r1', 'deepseak r1', 'deepseek'],
    ['best modell by throuhgput', 'modell', 'model'],
    ['best gpu with sglnag', 'sglnag', 'sglang'],
  ])('is corrected, and the interpretation notes it: %s', (question, phrase, meant) => {
    const { interpretation } = parseQuestion(question);
    expect(interpretation).toContainEqual({ phrase, meaning: expect.any(String), note: `interpreted as "${meant}"` });
  });

  test.each(['best model on h1000', 'best gpu for banana 8b', 'best last on h100', 'worst model'])(
    'is rejected if the intended word is unclear: %s',
    (question) => {
      expect(refusalOf(question).faults.map(({ code }) => code)).toContain('word_unknown');
    },
  );
});

test('does not ignore the kind of device that is asked for', () => {
  expect(() => parseQuestion('best laptop for local llms')).toThrow('"laptop" is not understood');
});

test('asks for clarification of an ambiguous word', () => {
  const hints = (question: string) => refusalOf(question).faults.map(({ hint }) => hint);
  expect(hints('lowest latency on h100')).toContain('Specify one: "ttft", "itl", "tpot" or "e2e latency".');
  expect(hints('exl2 on h100')).toEqual([
    'Use quantization "exl2" for the format of the weights, or engine "exl2" for the software.',
  ]);
});
test.each([
  ['TP8 deepseek r1 h200', '8x h200'],
  ['tensor parallel 4 on a100', '8x h200'],
  ['gsm8k score of gpt-oss-120b', 'at least 75 % on gsm8k'],
  ['fastest coder model on a 4090', 'Name a workload'],
  ['best small model on h100', 'under 10b'],
  ['llama.cpp with vulkan', 'backend is not a filter'],
  ['llama 70b on epyc', 'Name a device'],
  ['llama 70b on an amd cpu', 'use "cpu"'],
  ['llama 70b with cpu offload', 'This is not a filter'],
])('rejects "%s", which asks for a fact without a filter', (q, hint) => {
  const hints = refusalOf(q).faults.map((fault) => fault.hint);
  expect(hints.join(' ')).toContain(hint);
});

describe('cost', () => {
  test('accepts one price for all GPUs, in the question or as a parameter', () => {
    const asked = { subject: 'gpu', rankBy: 'usd_per_mtok_output', order: 'asc', filters: { scenario: ['rag'] } };
    expect(parseQuestion('cheapest gpu in rag')).toMatchObject({ ...asked, price: null });
    expect(parseQuestion('cheapest gpu in rag', { gpuUsdPerHour: 2 })).toMatchObject({ ...asked, price: 2 });
    expect(parseQuestion('cheapest gpu in rag at $2.50 per gpu hour')).toMatchObject({ ...asked, price: 2.5 });
    expect(parseQuestion('gpu with the lowest cost in rag', { gpuUsdPerHour: 0 })).toMatchObject({
      ...asked,
      price: 0,
    });
  });

  test('accepts only one price, and ignores it in other questions', () => {
    const twice = refusalOf('cheapest gpu at $3 per gpu hour', 2);
    expect(twice.faults.map(({ code }) => code)).toEqual(['price_twice']);
    expect(parseQuestion('cheapest gpu at $3 per gpu hour', { gpuUsdPerHour: 3 }).price).toBe(3);
    expect(parseQuestion('fastest gpu', { gpuUsdPerHour: 3 }).price).toBeNull();
  });
});

describe('the length of a question', () => {
  test('is limited', () => {
    expect(parseQuestion(`${'the '.repeat(79)}h100`).filters).toEqual({ gpu: ['h100'] });
    expect(refusalOf(`${'the '.repeat(80)}h100`).faults).toMatchObject([{ code: 'question_too_long' }]);
    expect(parseQuestion('h100'.padStart(500)).filters).toEqual({ gpu: ['h100'] });
    expect(refusalOf('h100'.padStart(501)).faults).toMatchObject([{ code: 'question_too_long' }]);
  });

  test.each(['', '   ', '?', 'the', 'please show me the', 'or', 'by', '""'])(
    'rejects the empty question %j',
    (question) => {
      expect(refusalOf(question).code).toBe('query_not_understood');
    },
  );
});

/** Words of the grammar, names and noise, in any order. */
const vocabulary = [
  ...'best top fastest lowest highest most efficient cheapest by for on with or and between under over at least than'.split(
    ' ',
  ),
  ...'p99 median ttft itl throughput tok/s per user ms s 20ms 5 2x 8 x 1,000 60% $ h100 h200 4090 max m4 80gb l40s'.split(
    ' ',
  ),
  ...'llama 3.1 8b qwen3 30b a3b fp8 int4 exl2 vllm mlx rag base chat scenario tool account model gpus system'.split(
    ' ',
  ),
  ...'vs compare not except how fast many users can i run fit vram 24 gb llama qwen 70b amd march better 32k context'.split(
    ' ',
  ),
  ...'concurrency batch queue depth 64 users since 2026-06-01 in june 2026 managed runs only "a b" bananas < => ,'.split(
    ' ',
  ),
];

describe('any question', () => {
  const answered = (question: string) => {
    try {
      return parseQuestion(question).subject.length > 0;
    } catch (error) {
      return error instanceof DomainError && error.message.length > 0;
    }
  };

  test('is parsed or rejected', () => {
    const words = fc.array(fc.constantFrom(...vocabulary), { maxLength: 40 }).map((all) => all.join(' '));
    const noise = fc.oneof(fc.string({ maxLength: 520 }), fc.string({ unit: 'binary', maxLength: 520 }));
    fc.assert(fc.property(fc.oneof(words, noise), answered), { numRuns: 400 });
  });

  // Work that grows with the square of the words would let one client block all others.
  test.each([
    'h100 ',
    'llama ',
    'nvidia rtx pro 6000 blackwell ',
    'deepseek v3 0324 ',
    'q4_k medium ',
    'zzzzzz ',
    'rand',
    '(((((',
    '1,1',
    '"',
    '\\"',
    '. ',
    '8x',
  ])('parses a repeated %j in time', (piece) => {
    const question = piece.repeat(500).slice(0, Math.min(500, piece.trim() === piece ? 500 : piece.length * 79));
    const before = process.threadCpuUsage();
    answered(question);
    expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(5000);
  });
});
