import { parseNumber } from '../reading/figures/numbers.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { countBefore } from '../reading/text/by-line.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';

/** One printed line: a time, a count, and the rate that is their quotient. */
interface TimingRow {
  what: 'prompt eval' | 'generation eval' | 'eval' | 'total';
  ms: number;
  count: number | null;
  /** The program itself prints `runs`, which exclude the first token; a server prints `tokens`. */
  unit: string | null;
  tokS: number | null;
  /** The task of a server that the line names. */
  task: string | null;
}

/** The timings of one request, or of the whole program. Lines are 1-based and inclusive. */
export interface TimingBlock {
  from: number;
  to: number;
  program: 'llama-server' | 'llama-cli';
  /** True for the layout of llama-server until September 2024, which ik_llama.cpp still prints. */
  isOldServer: boolean;
  /** Set if the line names llama-server. */
  task: string | null;
  prompt: TimingRow | null;
  /** Tokens of the whole prompt, with those that a server had in its cache; null if the log does not state it. */
  promptTokens: number | null;
  output: TimingRow & { tokS: number };
  totalMs: number | null;
  /** Share of the draft tokens that were accepted, if tokens were drafted. */
  acceptance: number | null;
}

const row =
  /(?<![a-z])(prompt eval|(?:generation )?eval|total) time {0,8}= {1,20}(\d{1,12}(?:\.\d{1,3})?) ms(?: \/ {1,12}(\d{1,9}) (tokens|runs))?(?: {1,4}(\() {0,12}\S{1,20} ms per (?:token|run)(?:, {1,12}(\S{1,20}) tokens per second)?\))?(?: {1,4}\| {1,4}(\S.{0,300}))?\s*$/;
/** The name of the program, the task of a slot, or only brackets, digits and quotation marks. */
const printer =
  /(?:common_perf_print|llama_perf_context_print|llama_perf_print|llama_print_timings): *$|\bprint_timings\] *$/;
const slot = /slot print_timing: id {1,4}\d{1,4} \| task (-?\d{1,9}) \| *$/;
/** `id_task=0` after the figures of the old layout. */
const field = /(?:^| )id_task=(-?\d{1,9})(?: |$)/;
const bare = /^[\s\d[\].:|>+-]{0,60}$/;
const draft = /draft acceptance(?: rate)? = (\d\.\d{1,8}) \(/;
/** Maximum line length. Longer lines are text and are not parsed. */
const longest = 400;

const rateOf = (tokens: number, ms: number) => (tokens > 0 && ms > 0 ? (1000 * tokens) / ms : null);

function readRow(text: string): TimingRow | null {
  if (text.length > longest) return null;
  const found = row.exec(text);
  if (found === null) return null;
  const [, what, ms = '', count, unit, hasTime, rate, fields = ''] = found;
  const prefix = text.slice(0, found.index);
  if (!(printer.test(prefix) || slot.test(prefix) || bare.test(prefix))) return null;
  return {
    what: what as TimingRow['what'],
    ms: Number(ms),
    count: count === undefined ? null : Number(count),
    unit: unit ?? null,
    // Until June 2023, only the time per token was printed.
    tokS: hasTime !== undefined && rate === undefined ? rateOf(Number(count), Number(ms)) : parseNumber(rate ?? ''),
    task: slot.exec(prefix)?.[1] ?? field.exec(fields)?.[1] ?? null,
  };
}

/** The task of a block, from its lines or the line above them. */
function taskOf(artifact: ArtifactText, from: number, { task }: TimingRow): string | null {
  return task ?? slot.exec(artifact.lineAt(from - 1).slice(0, longest))?.[1] ?? null;
}

const received =
  /slot update_slots: id {1,4}\d{1,4} \| task (-?\d{1,9}) \| new prompt, .{0,100}\b(?:n_prompt_tokens|task\.n_tokens) = (\d{1,9})\b/;
/** The prompts that a server's log shows, in order of lines. */
const findPrompts = cachedPerArtifact((artifact) =>
  artifact.linesWith('| new prompt, ').flatMap((line) => {
    const [, task, tokens] = received.exec(artifact.lineAt(line).slice(0, longest)) ?? [];
    return task === undefined ? [] : [{ from: line, task, tokens: Number(tokens) }];
  }),
);

/** Tokens of the prompt of a task. A restarted server numbers its tasks from 0, so the last one before the block counts. */
function promptOf(artifact: ArtifactText, from: number, task: string | null): number | null {
  if (task === null) return null;
  const prompts = findPrompts(artifact);
  const last = prompts.slice(0, countBefore(prompts, from)).findLast((prompt) => prompt.task === task);
  return last?.tokens ?? null;
}

function readBlock(artifact: ArtifactText, line: number, output: TimingRow): TimingBlock | null {
  const above = readRow(artifact.lineAt(line - 1));
  const below = readRow(artifact.lineAt(line + 1));
  // A single token has no speed.
  if (output.tokS === null || output.tokS <= 0 || (output.count ?? 0) < 2) return null;
  const prompt = above?.what === 'prompt eval' && above.task === output.task ? above : null;
  const total = below?.what === 'total' && below.task === output.task ? below : null;
  // Both times of a request are complete without their sum, which many pastes lack.
  if (total === null && prompt?.tokS == null) return null;
  const from = prompt === null ? line : line - 1;
  const to = total === null ? line : line + 1;
  const isOldServer = output.what === 'generation eval';
  const task = taskOf(artifact, from, output);
  let acceptance: number | null = null;
  for (let next = to + 1; next <= to + 3; next++)
    acceptance ??= parseNumber(draft.exec(artifact.lineAt(next).slice(0, longest))?.[1] ?? '');
  return {
    from,
    to,
    program: output.unit === 'runs' && !isOldServer ? 'llama-cli' : 'llama-server',
    isOldServer,
    task,
    prompt,
    promptTokens: promptOf(artifact, from, task),
    output: { ...output, tokS: output.tokS },
    totalMs: total?.ms ?? null,
    acceptance,
  };
}

/** All complete blocks in order of appearance: the times of the prompt and of the response, and their sum. */
export const findTimingBlocks = cachedPerArtifact((artifact): TimingBlock[] => {
  const blocks: TimingBlock[] = [];
  for (const line of artifact.linesWith(' eval time ')) {
    const output = readRow(artifact.lineAt(line));
    const isOutput = output?.what === 'eval' || output?.what === 'generation eval';
    const block = isOutput ? readBlock(artifact, line, output) : null;
    if (block !== null) blocks.push(block);
  }
  return blocks;
});

/** Since 2026, a line of task -1 lists the samplers before each task. */
const turn = /slot {1,8}(launch_slot_|release): id {1,4}\d{1,4} \| task (\d{1,9}) \|/;
const oldTurn = /\] slot (is processing task|released) \|.{0,100} id_task=(-?\d{1,9})(?: |$)/;
/** Whether a server's log shows that each request began after the previous one ended. False if the log does not show it. */
export const isOneAtATime = cachedPerArtifact((artifact): boolean => {
  const running = new Set<string>();
  let begun = 0;
  let most = 0;
  for (const line of artifact.linesWith('launch_slot_', 'release: id', 'slot released')) {
    const text = artifact.lineAt(line).slice(0, longest);
    const [, what, task = ''] = turn.exec(text) ?? oldTurn.exec(text) ?? [];
    if (what === undefined) continue;
    if (what.startsWith('release')) running.delete(task);
    else {
      running.add(task);
      begun++;
    }
    most = Math.max(most, running.size);
  }
  return begun > 0 && most === 1;
});
