import type { Fault } from '../../errors.ts';
import { ArtifactError } from '../errors.ts';
import { toPlainText } from '../plain-facts.ts';
import { isCutFigure } from '../reading/figures/cut-figure.ts';
import { isMissing, parseNumber } from '../reading/figures/numbers.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import type { OfflineFigures } from './offline-run.ts';

/** One block, or one printed Python dict. Lines are 1-based and inclusive. */
export interface OfflineText {
  from: number;
  to: number;
  isClosed: boolean;
  /** Values as printed, by their key in the JSON lines, with their line. */
  values: Map<string, { text: string; line: number }>;
  ignored: string[];
}

const banner = /^\s*={3,60} Offline Throughput Benchmark Result ={3,60}\s*$/;
const closing = /^\s*={40,200}\s*$/;
const labelled = /^\s{0,8}([A-Za-z][^:]{0,80}):\s{0,80}(\S.{0,80}?)?\s*$/;
/** Maximum length of a block; the longest known one has a dozen lines. */
const maxLines = 40;

const labels: Record<string, string> = {
  backend: 'backend',
  'successful requests': 'successful_requests',
  'benchmark duration (s)': 'total_latency',
  'total input tokens': 'total_input_tokens',
  'total generated tokens': 'total_output_tokens',
  'last generation throughput (tok/s)': 'last_gen_throughput',
  'request throughput (req/s)': 'request_throughput',
  'input token throughput (tok/s)': 'input_throughput',
  'output token throughput (tok/s)': 'output_throughput',
  'total token throughput (tok/s)': 'total_throughput',
};

function readBlock(artifact: ArtifactText, from: number): OfflineText {
  const block: OfflineText = { from, to: from, isClosed: false, values: new Map(), ignored: [] };
  const end = Math.min(artifact.lines.length, from + maxLines);
  for (let line = from + 1; line <= end; line++) {
    const text = artifact.lineAt(line);
    if (closing.test(text)) return { ...block, to: line, isClosed: true };
    const found = labelled.exec(text);
    if (found === null) {
      if (text.trim() === '') continue;
      break;
    }
    const label = (found[1] ?? '').trim();
    const key = label.toLowerCase().replace(/\s+/g, ' ');
    const name = Object.hasOwn(labels, key) ? labels[key] : undefined;
    if (name === undefined) block.ignored.push(label);
    else block.values.set(name, { text: found[2] ?? '', line });
    block.to = line;
  }
  const [name, last] = [...block.values].at(-1) ?? [];
  // Without the closing rule the paste ends here. All figures but counts have two decimals.
  if (name !== undefined && last !== undefined && isCutFigure(last.text, 2)) block.values.delete(name);
  return block;
}

/** A dict in Python's format: single quotes, `None`. Only literals of one level, on one line. */
const dict = /^\s{0,8}\{(?:'\w{1,60}': (?:'[^'\\]{0,200}'|-?[\w.+-]{1,40})(?:, |\}\s*$)){3,30}/;
const dictItem = /'(\w{1,60})': (?:'([^'\\]{0,200})'|(-?[\w.+-]{1,40}))(?=[,}])/g;
const dictKeys = ['total_latency', 'total_input_tokens', 'throughput'];

function readDict(text: string, line: number): OfflineText | null {
  if (text.length > 2000 || !dict.test(text)) return null;
  const values = new Map<string, { text: string; line: number }>();
  for (const [, key = '', quoted, bare] of text.matchAll(dictItem))
    values.set(key, { text: quoted ?? bare ?? '', line });
  if (!dictKeys.every((key) => values.has(key)) || values.has('batch_size')) return null;
  return { from: line, to: line, isClosed: true, values, ignored: [] };
}

/** All blocks and printed dicts, in order of appearance. */
export const findOfflineTexts = cachedPerArtifact((artifact): OfflineText[] => {
  const found: OfflineText[] = [];
  for (const line of artifact.linesWith('Offline Throughput', "'total_latency'")) {
    if (line <= (found.at(-1)?.to ?? 0)) continue;
    const text = artifact.lineAt(line);
    if (text.includes('Offline Throughput') && banner.test(text)) {
      found.push(readBlock(artifact, line));
    } else if (text.includes("'total_latency'")) {
      const printed = readDict(text, line);
      if (printed !== null) found.push(printed);
    }
  }
  return found;
});

const figureNames = new Set<keyof OfflineFigures>([
  'successful_requests',
  'total_latency',
  'total_input_tokens',
  'total_output_tokens',
  'request_throughput',
  'input_throughput',
  'output_throughput',
  'total_throughput',
  'last_gen_throughput',
  'throughput',
]);
const isFigure = (name: string): name is keyof OfflineFigures => (figureNames as ReadonlySet<string>).has(name); // a set of names is a set of strings

/** The figures of a block and its two text values. Throws `ArtifactError` for invalid figures. */
export function readOfflineText({ values, ignored }: OfflineText): {
  figures: OfflineFigures;
  runName: string | null;
  backend: string | null;
  ignored: string[];
} {
  const figures: OfflineFigures = {};
  const faults: Fault[] = [];
  const unused = [...ignored];
  for (const [name, { text, line }] of values) {
    if (name === 'run_name' || name === 'backend') continue;
    const number = parseNumber(text);
    if (!isFigure(name)) unused.push(name);
    else if (number !== null) figures[name] = number;
    else if (!isMissing(text)) {
      const message = `${name} should be a number, found "${text.slice(0, 60)}".`;
      faults.push({ code: 'value_unreadable', line, message });
    }
  }
  if (faults.length > 0) throw new ArtifactError(faults);
  const word = (name: string) => {
    const text = values.get(name)?.text.trim() ?? '';
    return text === '' || text === 'None' ? null : toPlainText(text);
  };
  return { figures, runName: word('run_name'), backend: word('backend'), ignored: unused };
}
