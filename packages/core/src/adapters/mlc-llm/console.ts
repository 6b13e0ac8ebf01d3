import type { Fault } from '../../errors.ts';
import { ArtifactError } from '../errors.ts';
import type { JsonValue } from '../reading/documents/json.ts';
import { isMissing, parseNumber } from '../reading/figures/numbers.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';
import type { MlcReport, MlcSent } from './report.ts';

interface Row {
  line: number;
  /** Null before the first section. */
  section: string | null;
  label: string;
  value: string;
}

/** A printed block. Lines are 1-based and inclusive. */
export interface MlcBlock {
  from: number;
  to: number;
  rows: Row[];
  /** Whether the line that ends the block is missing. */
  isTruncated: boolean;
}

const title = /^\s{0,8}={5,30} Benchmark Result ={5,30}\s*$/;
const end = /^\s{0,8}={40,60}\s*$/;
const section = /^\s{0,8}-{2,30} ([A-Z][^:]{2,60}?) -{2,30}\s*$/;
const labelled = /^\s{0,8}([A-Z][\w ()/-]{1,60}):\s{1,60}(\S{1,40})\s*$/;

/** Names of the CSV by the labels of the block. */
const names: Record<string, string> = {
  'Total requests': 'num_total_requests',
  'Completed requests': 'num_completed_requests',
  'Duration (s)': 'duration',
  'Num GPUs': 'num_gpus',
  'Total input tokens': 'total_input_tokens',
  'Total output tokens': 'total_output_tokens',
  'Request throughput (req/s)': 'request_throughput',
  'Input token throughput (tok/s)': 'input_token_throughput',
  'Output token throughput (tok/s)': 'output_token_throughput',
};
const sections: Record<string, string> = {
  'Time to First Token (TTFT, ms)': 'time_to_first_token_s',
  'Time per Output Token (TPOT, ms)': 'time_per_output_token_s',
  'Inter-Token Latency (ms)': 'inter_token_latency_s',
  'End-to-End Latency (ms)': 'end_to_end_latency_s',
  'Input Tokens': 'input_tokens',
  'Output Tokens': 'output_tokens',
};
const nameOf = (known: Record<string, string>, label: string) =>
  Object.hasOwn(known, label) ? known[label] : undefined;

function readBlock(artifact: ArtifactText, from: number): MlcBlock {
  const block: MlcBlock = { from, to: from, rows: [], isTruncated: true };
  let open: string | null = null;
  for (let line = from + 1; line <= artifact.lines.length; line++) {
    const text = artifact.lineAt(line).slice(0, 200);
    if (end.test(text)) return { ...block, to: line, isTruncated: false };
    const heading = section.exec(text)?.[1];
    const [, label = '', value = ''] = labelled.exec(text) ?? [];
    if (heading !== undefined) open = heading;
    else if (label !== '') block.rows.push({ line, section: open, label, value });
    else break;
    block.to = line;
  }
  // The last figure may have been cut.
  block.rows.pop();
  return block;
}

/** All blocks in order of appearance. */
export const findMlcBlocks = cachedPerArtifact((artifact): MlcBlock[] => {
  const blocks = artifact
    .linesWith(' Benchmark Result ')
    .filter((line) => title.test(artifact.lineAt(line).slice(0, 200)))
    .map((line) => readBlock(artifact, line));
  return blocks.filter(({ rows }) => rows.some(({ label }) => label === 'Completed requests'));
});

const sentLine = /Fixing (number of concurrent requests|request rate): (\d[\d.]{0,20}|inf)\s*$/;

/** The line that the program logs before a run, between the previous block and its own. */
export function readMlcSent(artifact: ArtifactText, from: number, to: number): MlcSent | null {
  let sent: MlcSent | null = null;
  for (const line of artifact.linesWith('Fixing number of concurrent requests', 'Fixing request rate')) {
    if (line < from || line > to) continue;
    const [, kind = '', text = ''] = sentLine.exec(artifact.lineAt(line).slice(0, 400)) ?? [];
    const level = text === 'inf' ? Number.POSITIVE_INFINITY : parseNumber(text);
    if (level !== null && level > 0) sent = { kind: kind === 'request rate' ? 'rate' : 'concurrency', level };
  }
  return sent;
}

/** The figures of a block. Throws `ArtifactError` if one is not a number. */
export function readMlcBlock(block: MlcBlock, sent: MlcSent | null): MlcReport {
  const values = new Map<string, number>();
  const statistics = new Map<string, Record<string, JsonValue>>();
  const ignored: string[] = [];
  const faults: Fault[] = [];
  for (const { line, section: heading, label, value } of block.rows) {
    const name = heading === null ? nameOf(names, label) : nameOf(sections, heading);
    if (name === undefined) {
      ignored.push(heading === null ? label : `${heading}: ${label}`);
      continue;
    }
    if (isMissing(value)) continue;
    const number = parseNumber(value);
    if (number === null || number < 0) {
      const message = `"${label}" should be a number, found "${value.slice(0, 60)}".`;
      faults.push({ code: 'value_unreadable', line, message });
    } else if (heading === null) values.set(name, number);
    else statistics.set(name, { ...statistics.get(name), [label.toLowerCase()]: number });
  }
  if (faults.length > 0) throw new ArtifactError(faults);
  const { from, to, isTruncated } = block;
  return { from, to, values, statistics, places: 0, sent, ignored, isTruncated };
}
