import { z } from 'zod';
import type { Fault } from '../../errors.ts';
import type { Adapter } from '../adapter.ts';
import { ArtifactError, addFaults } from '../errors.ts';
import { type RunContext, readRunContexts } from '../reading/context/run-context.ts';
import { blocksAndRecords } from '../reading/documents/blocks-and-records.ts';
import { hasAll, type JsonRecord, recordFinder } from '../reading/documents/json-records.ts';
import { parseAt } from '../reading/documents/zod-faults.ts';
import { isLastLine } from '../reading/figures/cut-figure.ts';
import { parseNumber } from '../reading/figures/numbers.ts';
import type { ReadOne } from '../reading/tables/read-each.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import { type ThroughputFigures, toThroughputResult } from './offline.ts';

const id = 'vllm-bench-throughput';
const name = 'vllm bench throughput';

const figure = z.number().positive();
const count = z.number().int().positive();
export const ThroughputSchema = z.looseObject({
  elapsed_time: figure,
  num_requests: count,
  total_num_tokens: count.nullish(),
  requests_per_second: figure.nullish(),
  tokens_per_second: figure,
});
const known = new Set(Object.keys(ThroughputSchema.shape));

const findRecords = recordFinder((value) =>
  hasAll(value, ['elapsed_time', 'num_requests', 'tokens_per_second']) ? 'whole' : null,
);

export function toThroughputFigures(record: z.infer<typeof ThroughputSchema>): ThroughputFigures {
  return {
    elapsedS: record.elapsed_time,
    requests: record.num_requests,
    requestsPerS: record.requests_per_second ?? null,
    totalTokens: record.total_num_tokens ?? null,
    totalPerS: record.tokens_per_second,
    outputPerS: null,
    inputTokens: null,
    outputTokens: null,
  };
}

function readRecord({ value, from, to }: JsonRecord): ReadOne {
  const figures = toThroughputFigures(parseAt(ThroughputSchema, value, from));
  const ignored = Object.keys(value).filter((key) => !known.has(key));
  return { result: toThroughputResult(figures, null, { from, to }), ignored };
}

/** The printed lines, 1-based and inclusive, and their figures as written. */
interface Printed {
  from: number;
  to: number;
  requests: string;
  total: string;
  output: string | null;
  /** Total tokens of prompts and of responses, and their line. */
  counts: Map<'input' | 'output', { text: string; line: number }>;
}

const printedLine =
  /^\s*Throughput: (\S{1,40}) requests\/s, (\S{1,40}) (?:total )?tokens\/s(?:, (\S{1,40}) output tokens\/s)?\s*$/;
const countLine = /^\s*Total num (prompt|output) tokens:\s{1,9}(\S{1,40})\s*$/;
/** Maximum difference of a share of the tokens by counts and by rates, which have two decimals. */
const shareTolerance = 0.01;

/** Drops the count of a last line that may be cut: one that is not confirmed by the rates. */
function dropCut(artifact: ArtifactText, { to, total, output, counts }: Printed): void {
  if (counts.size === 0 || !isLastLine(artifact, to)) return;
  const [input, outputs] = [counts.get('input')?.text, counts.get('output')?.text].map(Number);
  const share = Number(output) / Number(total);
  const isConfirmed =
    Math.abs((outputs ?? Number.NaN) / ((input ?? 0) + (outputs ?? 0)) - share) < shareTolerance * share;
  if (!isConfirmed) counts.delete(counts.has('output') ? 'output' : 'input');
}

const findPrinted = cachedPerArtifact((artifact): Printed[] => {
  if (!artifact.has('requests/s')) return [];
  const all: Printed[] = [];
  for (const from of artifact.linesWith('Throughput: ')) {
    const found = printedLine.exec(artifact.lineAt(from));
    if (found === null) continue;
    const [, requests = '', total = '', output] = found;
    const printed: Printed = { from, to: from, requests, total, output: output ?? null, counts: new Map() };
    for (const line of [from + 1, from + 2]) {
      const counted = countLine.exec(artifact.lineAt(line));
      if (counted === null) break;
      printed.counts.set(counted[1] === 'prompt' ? 'input' : 'output', { text: counted[2] ?? '', line });
      printed.to = line;
    }
    dropCut(artifact, printed);
    all.push(printed);
  }
  return all;
});

const isProgram = (words: readonly string[]) =>
  (/(?:^|\/)vllm$/.test(words[0] ?? '') && words[1] === 'bench' && words[2] === 'throughput') ||
  /(?:^|[/\\])benchmark_throughput\.py$/.test(words[0] ?? '');

/** The command of each line. Lines that follow each other directly are repetitions of one command. */
const contextsIn = cachedPerArtifact((artifact): ReadonlyMap<Printed, RunContext> => {
  const all = findPrinted(artifact);
  const contexts = new Map(readRunContexts(artifact, all, isProgram));
  for (const [index, printed] of all.entries()) {
    const before = all[index - 1];
    const context = before === undefined ? undefined : contexts.get(before);
    const isNext =
      before !== undefined &&
      artifact.lines
        .slice(before.to, printed.from - 1)
        .join('')
        .trim() === '';
    if (context !== undefined && isNext && !contexts.has(printed)) contexts.set(printed, context);
  }
  return contexts;
});

function readPrinted(artifact: ArtifactText, printed: Printed): ReadOne {
  const { from, to, counts } = printed;
  const faults: Fault[] = [];
  const read = (text: string | null | undefined, line = from) => {
    if (text === null || text === undefined) return null;
    const number = parseNumber(text);
    if (number !== null && number >= 0) return number > 0 ? number : null;
    const message = `A throughput or a count should be a number, found "${text}".`;
    addFaults(faults, [{ code: 'value_unreadable', line, message }]);
    return null;
  };
  const figures: ThroughputFigures = {
    elapsedS: null,
    requests: null,
    requestsPerS: read(printed.requests),
    totalTokens: null,
    totalPerS: read(printed.total),
    outputPerS: read(printed.output),
    inputTokens: read(counts.get('input')?.text, counts.get('input')?.line),
    outputTokens: read(counts.get('output')?.text, counts.get('output')?.line),
  };
  if (faults.length === 0 && figures.requestsPerS === null && figures.totalPerS === null)
    faults.push({ code: 'nothing_measured', line: from, message: 'All throughputs are 0: nothing was measured.' });
  if (faults.length > 0) throw new ArtifactError(faults);
  const context = contextsIn(artifact).get(printed) ?? null;
  return { result: toThroughputResult(figures, context, { from, to }), ignored: [] };
}

/**
 * `vllm bench throughput`, formerly `benchmark_throughput.py`: its result file and the line it prints. All requests are
 * queued at once inside the program. "Tokens per second" counts prompt and response tokens together; only newer versions
 * also print the output rate.
 *
 * Written by https://github.com/vllm-project/vllm/blob/main/vllm/benchmarks/throughput.py
 */
export const vllmBenchThroughput: Adapter = {
  id,
  title: name,
  kind: 'serving',
  recognises:
    'JSON with elapsed_time, num_requests and tokens_per_second, or a line "Throughput: ... requests/s, ... total tokens/s"',
  command: 'vllm bench throughput --model MODEL --input-len 1024 --output-len 256 2>&1 | tee result.txt',
  ...blocksAndRecords({ id, name, findBlocks: findPrinted, readBlock: readPrinted, findRecords, readRecord }),
};
