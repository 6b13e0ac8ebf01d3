import { parseNumber, shiftDecimal } from '../reading/figures/numbers.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';

/** A statistic over the measured runs. */
export interface ClubStat {
  line: number;
  mean: number;
  sd: number;
  min: number;
  max: number;
}

/** One measured run. Times are in ms; null if not printed. */
export interface ClubRun {
  wallMs: number;
  ttftMs: number;
  outputTokens: number | null;
  promptTokens: number | null;
  decodeTokS: number | null;
  prefillTokS: number | null;
}

/** The printed figures of one prompt. Lines are 1-based and inclusive. */
export interface ClubSummary {
  from: number;
  to: number;
  /** "narrative", "code", "prefill-10k". */
  shape: string;
  n: number;
  stats: Map<string, ClubStat>;
  /** Empty if the runs were not printed or not copied. */
  runs: ClubRun[];
}

const heading = /^\s{0,8}=== summary \[([a-z][\w-]{0,40})\] \(n=(\d{1,5})\) ===\s*$/;
const statLine =
  /^\s{0,8}(wall_TPS|decode_TPS|TTFT|prefill tok\/s|PP tok\/s) {1,14}mean= *([\d.]{1,12})(ms)? {1,9}std= *([\d.]{1,12})(?:ms)? {1,9}(?:CV= *[\d.]{1,9}% {1,9})?min= *([\d.]{1,12})(?:ms)? {1,9}max= *([\d.]{1,12})(ms)?(?: .{0,120})?$/;
const runLine =
  /^\s{0,8}run-(\d{1,4}) {1,12}wall= *([\d.]{1,9})s {1,9}ttft= *(\d{1,9})ms {1,9}(toks|prompt_toks)= *(\d{1,9}) {1,9}(\w{1,12}(?:_tok\/s)?)= *([\d.]{1,12})(?: {1,9}decode_TPS= *([\d.]{1,12}))?(?: .{0,200})?$/;
/** Most lines of figures below the heading of a summary, and of runs above it. */
const mostStats = 24;
const mostRuns = 200;

function readStat(text: string, line: number): [string, ClubStat] | null {
  const found = statLine.exec(text);
  if (found === null) return null;
  const [, name = '', mean, unit, sd, min, max, maxUnit] = found;
  const isTime = name === 'TTFT';
  if (isTime !== (unit === 'ms') || isTime !== (maxUnit === 'ms')) return null;
  const [a, b, c, d] = [mean, sd, min, max].map((value) => parseNumber(value ?? ''));
  if (a == null || b == null || c == null || d == null) return null;
  // A mean is between the extremes, except for rounding.
  return a < c * 0.99 - 1 || a > d * 1.01 + 1 ? null : [name, { line, mean: a, sd: b, min: c, max: d }];
}

function readRun(text: string): { number: number; run: ClubRun } | null {
  const found = runLine.exec(text);
  if (found === null) return null;
  const [, number, wall, ttft, word, tokens, rateName, rate, decode] = found;
  const isPrompt = word === 'prompt_toks';
  const seconds = parseNumber(wall ?? '');
  if (seconds === null) return null;
  return {
    number: Number(number),
    run: {
      wallMs: shiftDecimal(seconds, 3),
      ttftMs: Number(ttft),
      outputTokens: isPrompt ? null : Number(tokens),
      promptTokens: isPrompt ? Number(tokens) : null,
      decodeTokS: parseNumber(decode ?? ''),
      prefillTokS: rateName === 'PP_tok/s' ? parseNumber(rate ?? '') : null,
    },
  };
}

/** The measured runs above a summary, in order; empty if some are missing. */
function readRuns(artifact: ArtifactText, before: number, n: number): { runs: ClubRun[]; from: number } {
  const runs: ClubRun[] = [];
  let from = before;
  for (let line = before - 1; line >= Math.max(1, before - mostRuns); line--) {
    const text = artifact.lineAt(line);
    if (text.length > 400) continue;
    const found = readRun(text);
    if (found !== null && found.number === n - runs.length) {
      runs.unshift(found.run);
      from = line;
    } else if (/^\s{0,8}={3,20} /.test(text)) break;
  }
  return runs.length === n ? { runs, from } : { runs: [], from: before };
}

/** All summaries with figures, in order of appearance. */
export const findClubSummaries = cachedPerArtifact((artifact): ClubSummary[] => {
  const found: ClubSummary[] = [];
  for (const line of artifact.linesWith('=== summary [')) {
    const [, shape = '', count = ''] = heading.exec(artifact.lineAt(line).slice(0, 200)) ?? [];
    const n = Number(count);
    if (shape === '' || n < 1) continue;
    const stats = new Map<string, ClubStat>();
    let to = line;
    for (let at = line + 1; at <= line + mostStats; at++) {
      const text = artifact.lineAt(at);
      if (/^\s{0,8}={3,20} /.test(text)) break;
      const stat = readStat(text.slice(0, 400), at);
      if (stat === null || stats.has(stat[0])) continue;
      stats.set(...stat);
      to = at;
    }
    if (!['wall_TPS', 'prefill tok/s', 'PP tok/s'].some((name) => stats.has(name))) continue;
    const { runs, from } = readRuns(artifact, line, n);
    found.push({ from, to, shape, n, stats, runs });
  }
  return found;
});
