import type { MetricName } from '../../metrics/index.ts';
import { type Adapter, noFacts, noRemarks, noResult, type ParsedResult } from '../adapter.ts';
import type { CommandLine } from '../reading/context/command-line.ts';
import { parseNumber } from '../reading/figures/numbers.ts';
import { countBefore, findAt } from '../reading/text/by-line.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import { findMlxCommands, mlxSystem } from './command.ts';

const id = 'mlx-lm-generate';

/** The lines below one response. Lines are 1-based and inclusive. */
interface Printed {
  from: number;
  to: number;
  /** Null in the layout of early 2024, which has only the speeds. */
  promptTokens: number | null;
  promptTokS: number;
  outputTokens: number | null;
  outputTokS: number;
  peakMemoryGb: number | null;
}

const phase = /^\s{0,8}(Prompt|Generation): (?:(\d{1,9}) tokens, )?(\d{1,9}\.\d{3}) tokens-per-sec\s*$/;
const memory = /^\s{0,8}Peak memory: (\d{1,6}\.\d{3}) GB\s*$/;

/** All pairs of lines in order of appearance. */
const findPrinted = cachedPerArtifact((artifact): Printed[] => {
  const found: Printed[] = [];
  for (const line of artifact.linesWith('tokens-per-sec')) {
    const [prompt, answer] = [line, line + 1].map((at) => phase.exec(artifact.lineAt(at).slice(0, 200)));
    if (prompt?.[1] !== 'Prompt' || answer?.[1] !== 'Generation') continue;
    const [promptTokens, outputTokens] = [prompt[2], answer[2]].map((text) => parseNumber(text ?? ''));
    const peak = parseNumber(memory.exec(artifact.lineAt(line + 2).slice(0, 200))?.[1] ?? '');
    found.push({
      from: line,
      to: line + (peak === null ? 1 : 2),
      promptTokens: promptTokens ?? null,
      promptTokS: Number(prompt[3]),
      outputTokens: outputTokens ?? null,
      outputTokS: Number(answer[3]),
      peakMemoryGb: peak,
    });
  }
  return found;
});

const findCommands = cachedPerArtifact((artifact) => findMlxCommands(artifact, 'generate', findPrinted(artifact)));

function toResult(printed: Printed, command: CommandLine | null): ParsedResult {
  const found: [MetricName, number | null][] = [
    ['prefill_tok_s', printed.promptTokS],
    ['decode_tok_s', printed.outputTokS],
    ['user_tok_s', printed.outputTokS],
    ['requests_ok', 1],
    ['input_tokens', printed.promptTokens],
    ['output_tokens', printed.outputTokens],
  ];
  const metrics = found.filter((entry): entry is [MetricName, number] => (entry[1] ?? 0) > 0);
  return {
    ...noResult,
    system: { ...noFacts, ...mlxSystem(command) },
    load: { mode: 'batch', level: 1 },
    metrics: Object.fromEntries(metrics),
    definitions: Object.fromEntries(
      metrics.filter(([name]) => name.endsWith('_tok_s')).map(([name]) => [name, 'in_process']),
    ),
    extra: printed.peakMemoryGb === null ? {} : { peak_memory_gb: printed.peakMemoryGb },
    lines: { from: printed.from, to: printed.to },
  };
}

/**
 * The output of `mlx_lm.generate` below a response: tokens and speeds of one request, timed in the process. The lengths of
 * prompt and response are incidental, so they are not a requested workload.
 *
 * Written by https://github.com/ml-explore/mlx-lm/blob/main/mlx_lm/generate.py (`generate`).
 */
export const mlxLmGenerate: Adapter = {
  id,
  title: 'mlx_lm.generate',
  kind: 'serving',
  recognises:
    'lines "Prompt: N tokens, N tokens-per-sec" and "Generation: N tokens, N tokens-per-sec", or both without tokens',
  command: 'mlx_lm.generate --model MODEL --prompt "..." 2>&1 | tee result.txt',
  detect: (artifact) => findPrinted(artifact).map(({ from, to }) => ({ adapter: id, from, to })),
  read: (artifact, claim) => {
    const { found } = findAt(findPrinted(artifact), claim.from);
    const tool = { name: 'mlx_lm.generate', version: null };
    if (found === null) return { tool, results: [], ignored: [], ...noRemarks };
    const command = findCommands(artifact)[countBefore(findPrinted(artifact), found.from)] ?? null;
    return { tool, results: [toResult(found, command)], ignored: [], ...noRemarks };
  },
};
