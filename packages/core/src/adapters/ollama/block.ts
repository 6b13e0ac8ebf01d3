import type { Fault } from '../../errors.ts';
import type { Fact } from '../adapter.ts';
import { ArtifactError } from '../errors.ts';
import { toModelName } from '../reading/context/model-name.ts';
import { decimalPointHint, hasDecimalComma, isMissing, parseNumber, shiftDecimal } from '../reading/figures/numbers.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { countBefore } from '../reading/text/by-line.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import type { OllamaRun } from './run.ts';

/** Labels in the order of the output. */
const labels = [
  'total duration',
  'load duration',
  'prompt eval count',
  'prompt eval duration',
  'prompt eval rate',
  'eval count',
  'eval duration',
  'eval rate',
] as const;
type Label = (typeof labels)[number];

const labelled = new RegExp(`(${labels.join('|')}):(?:\\*\\*)?[ \\t]{1,40}(\\S.{0,60}?)\\s*$`);
/** People put stars around a figure and arrows after it. */
const emphasis = /^\*\*(?=\S)|\*\*(?=\s|$)|\s*<-{1,20}$/g;
/** A line of figures is short. A spinner printed before it may be long. */
const tail = 120;

/** One printed block. Lines are 1-based and inclusive. */
export interface OllamaBlock {
  from: number;
  to: number;
  rows: Map<Label, { line: number; value: string }>;
}

function readLabel(text: string): { label: Label; value: string } | null {
  const end = text.trimEnd();
  const cut = Math.max(0, end.length - tail);
  const found = labelled.exec(end.slice(cut));
  const label = labels.find((name) => name === found?.[1]);
  if (found === null || label === undefined) return null;
  const before = end.slice(0, cut + found.index);
  // Only the first line may have a spinner or an unterminated response before it.
  if (label !== 'total duration' && /[\p{L}\p{N}]/u.test(before.slice(-tail))) return null;
  return { label, value: (found[2] ?? '').replace(emphasis, '') };
}

/** A question about Ollama may quote a label or two; a block has a duration and counts. */
function isOurs({ rows }: OllamaBlock): boolean {
  const hasCount = /^\d{1,12} token\(s\)$/.test(rows.get('eval count')?.value ?? '');
  const hasRate = /tokens\/s$/.test(rows.get('eval rate')?.value ?? '');
  const isBegun = rows.has('total duration') && rows.has('load duration');
  return (hasRate && rows.size >= 2) || (hasCount && rows.size >= 2) || (isBegun && rows.size >= 2);
}

/** All blocks in order of appearance. A label out of order begins another block. */
export const findOllamaBlocks = cachedPerArtifact((artifact): OllamaBlock[] => {
  if (!(artifact.has('eval rate') || artifact.has('load duration'))) return [];
  const blocks: OllamaBlock[] = [];
  let block: OllamaBlock | null = null;
  let last = -1;
  for (const line of artifact.linesWith('duration:', 'eval ')) {
    const found = readLabel(artifact.lineAt(line));
    if (found === null) continue;
    const order = labels.indexOf(found.label);
    if (block === null || order <= last || line > block.to + 2) {
      block = { from: line, to: line, rows: new Map() };
      blocks.push(block);
    }
    block.rows.set(found.label, { line, value: found.value });
    block.to = line;
    last = order;
  }
  const ours = blocks.filter(isOurs);
  return ours;
});

const units: Record<string, number> = { h: 3.6e6, m: 6e4 };
const decimals: Record<string, number> = { s: 3, ms: 0, us: -3, µs: -3, μs: -3, ns: -6 };

/** Milliseconds of a duration in Go's format: `3m12.5s`, `412.5ms`, `850.2µs`. Null for anything else. */
export function parseGoDuration(text: string): number | null {
  const trimmed = text.trim();
  if (!/^(?:\d{1,9}h)?(?:\d{1,9}m)?(?:\d{1,15}(?:\.\d{1,20})?(?:s|ms|us|µs|μs|ns))?$/.test(trimmed) || trimmed === '')
    return null;
  let ms = 0;
  for (const [, number = '', unit = ''] of trimmed.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s|us|µs|μs|ns)/g))
    ms += units[unit] === undefined ? shiftDecimal(Number(number), decimals[unit] ?? 0) : Number(number) * units[unit];
  return Math.round(ms * 1e6) / 1e6;
}

const count = (text: string) => parseNumber(/^(\d{1,12}) token\(s\)$/.exec(text)?.[1] ?? '');
const rate = (text: string) => parseNumber(/^(\S{1,30}) tokens?\/s$/.exec(text)?.[1] ?? '');

/** Figures of a block. Throws `ArtifactError` if one is unreadable. */
export function readOllamaBlock(block: OllamaBlock): Omit<OllamaRun, 'model'> {
  const broken: Fault[] = [];
  const get = (label: Label, parse: (text: string) => number | null): number | null => {
    const row = block.rows.get(label);
    // The tool prints 0/0 if the whole prompt was cached.
    if (row === undefined || isMissing(row.value.replace(/^[+-]/, '').replace(/ tokens?\/s$/, ''))) return null;
    const number = parse(row.value);
    if (number !== null) return number;
    const message = `"${label}" cannot be "${row.value.slice(0, 60)}".`;
    const hint = hasDecimalComma(row.value) ? { hint: decimalPointHint } : {};
    broken.push({ code: 'value_unreadable', line: row.line, message, ...hint });
    return null;
  };
  const run = {
    from: block.from,
    to: block.to,
    totalMs: get('total duration', parseGoDuration),
    loadMs: get('load duration', parseGoDuration),
    promptTokens: get('prompt eval count', count),
    promptTokS: get('prompt eval rate', rate),
    outputTokens: get('eval count', count),
    outputTokS: get('eval rate', rate),
    measuredAt: null,
  };
  get('prompt eval duration', parseGoDuration);
  get('eval duration', parseGoDuration);
  if (broken.length === 0 && !block.rows.has('eval rate')) {
    const message = `The block that begins on line ${block.from} ends before its eval rate.`;
    broken.push({ code: 'block_cut', line: block.from, message, hint: 'Copy the whole block.' });
  } else if (broken.length === 0 && !(run.outputTokS !== null && run.outputTokS > 0)) {
    const message = `The block that begins on line ${block.from} has no eval rate above 0: nothing was measured.`;
    broken.push({ code: 'nothing_measured', line: block.from, message });
  }
  if (broken.length > 0) throw new ArtifactError(broken);
  return run;
}

/** `ollama run NAME` after a prompt, a fence or at the line start, and `/load NAME` within a session. */
const command =
  /^[^\p{L}\p{N}]{0,20}(?:\S{1,100}[$#%>❯]\s{0,4})?(?:time )?(?:\S{0,100}\/)?ollama(?:\.exe)? run (.{1,400})$/u;
const switching = /^\s*>>> \/load (\S{1,200})\s*$/;

const findModels = cachedPerArtifact((artifact) => {
  const models: { from: number; name: string }[] = [];
  for (const from of artifact.linesWith('ollama', '/load ')) {
    const text = artifact.lineAt(from);
    if (text.length > 20_000) continue;
    const words = command.exec(text.slice(0, 1000))?.[1]?.trim().split(/\s+/);
    const name = words?.find((word) => !word.startsWith('-')) ?? switching.exec(text)?.[1];
    if (name !== undefined) models.push({ from, name: name.replace(/["'`]/g, '') });
  }
  return models;
});

/** The model of the last command before a block; null if there is none. */
export function readOllamaModel(artifact: ArtifactText, line: number): Fact<string> | null {
  const models = findModels(artifact);
  const named = models[countBefore(models, line) - 1];
  const name = named === undefined ? null : toModelName(named.name.replace(/:latest$/, ''));
  return name === null ? null : { value: name, origin: 'context' };
}
