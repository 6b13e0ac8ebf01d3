import type { ArtifactText } from '../text/artifact-text.ts';
import { cachedPerArtifact } from '../text/cached-per-artifact.ts';
import { isCutFigure } from './cut-figure.ts';
import { toKey } from './label-key.ts';

/** Programs that print the block under the banner "Serving Benchmark Result". */
export type BlockOwner = 'vllm' | 'sglang' | 'tensorrt-llm';

export interface BlockLine {
  line: number;
  /** As printed, without the colon. */
  label: string;
  /** Lower case, with single spaces. */
  key: string;
  value: string;
}

/** One printed result block. Lines are 1-based and inclusive. */
export interface ServingBlock {
  from: number;
  to: number;
  owner: BlockOwner;
  /** False if the closing rule is missing because the paste was truncated. */
  isClosed: boolean;
  rows: BlockLine[];
}

/** A quote mark on this line alone is of a quote that a forum ended after one line. */
const banner = /^\s*(?:> ?)?={3,60} Serving Benchmark Result ={3,60}\s*$/;
const closing = /^\s*={40,200}\s*$/;
/** `label:` followed by the value. A label contains a colon only at the end. */
const labelled = /^\s{0,8}([A-Za-z][^:]{0,80}):\s{0,80}(\S.{0,80}?)?\s*$/;
/** A value, and text that a user added after it. */
const remarked = /^(-?[\d.,]+|nan|inf)\s{2,}[^\d\s]/;
const nextRun = /^\s*(?:Namespace\(|Starting initial|Starting main|Initial test run)/;
/** Lines that may occur in a truncated block: figures, section headings and blank lines. Any other line ends it. */
const figure = /:\s+(?:[-\d.,…]+|nan|inf|not set|[a-z-]+)\s*$|:\s*$/i;
const heading = /^\s*(?:-{3,60}.{0,60}|={10,40} (?:Text|Audio|Image|Video) Result ={10,40}\s*|)$/;
/** Of all figures except counts, which precede the first rate. */
const decimals = 2;
/** Maximum length of a block. The longest known ones have about sixty lines. */
const maxLines = 400;

const isSglang = (row: BlockLine) =>
  [
    'backend',
    'traffic request rate',
    'max request concurrency',
    'max reqeuest concurrency',
    'concurrency',
    'accept length',
  ].includes(row.key) ||
  row.key.endsWith('(retokenized)') ||
  row.key.endsWith('e2e latency (ms)') ||
  row.key === 'max itl (ms)';

const isTensorrt = (row: BlockLine) => row.key === 'user throughput (tok/s)' || row.key.endsWith('request ar');

function ownerOf(rows: readonly BlockLine[]): BlockOwner {
  if (rows.some(isSglang)) return 'sglang';
  return rows.some(isTensorrt) ? 'tensorrt-llm' : 'vllm';
}

/** Line of the closing rule of the block that begins at `from`; null if the next run comes first. */
function findClosing(artifact: ArtifactText, from: number): number | null {
  const end = Math.min(artifact.lines.length, from + maxLines);
  for (let line = from + 1; line <= end; line++) {
    const text = artifact.lineAt(line);
    if (closing.test(text)) return line;
    if (banner.test(text) || nextRun.test(text)) return null;
  }
  return null;
}

function readBlock(artifact: ArtifactText, from: number): ServingBlock {
  const rows: BlockLine[] = [];
  const closed = findClosing(artifact, from);
  const end = closed ?? Math.min(artifact.lines.length, from + maxLines);
  for (let line = from + 1; line <= end; line++) {
    const text = artifact.lineAt(line);
    if (closed === null && (banner.test(text) || nextRun.test(text) || !(figure.test(text) || heading.test(text))))
      break;
    const found = labelled.exec(text);
    if (found === null) continue;
    const label = (found[1] ?? '').trim();
    const key = toKey(label);
    // SGLang prints this inside the block, before the figures. After them it is the log of the next run.
    if (closed === null && key === 'traffic request rate' && rows.some((row) => row.key === 'successful requests'))
      break;
    const value = found[2] ?? '';
    rows.push({ line, label, key, value: remarked.exec(value)?.[1] ?? value });
  }
  const last = rows.at(-1);
  if (closed === null && last !== undefined && isCutFigure(last.value, decimals)) last.value = '';
  return { from, to: closed ?? last?.line ?? from, owner: ownerOf(rows), isClosed: closed !== null, rows };
}

const firstRow = /^\s{0,8}Successful requests:\s{1,80}\d/;
/** Other programs print the counts with these words. A latency under its heading identifies this block. */
const latencyRow = /^(?:mean|median|p\d{1,2}(?:\.\d{1,3})?) (?:ttft|tpot|itl|e2el) \(ms\)$/;

/** Blocks that were copied without their banner, from the first row that every version prints. */
function findHeadless(artifact: ArtifactText, blocks: readonly ServingBlock[]): ServingBlock[] {
  const found: ServingBlock[] = [];
  for (const line of artifact.linesWith('Successful requests:')) {
    const isInternal = ({ from, to }: ServingBlock) => from <= line && line <= to;
    if (!firstRow.test(artifact.lineAt(line)) || blocks.some(isInternal) || found.some(isInternal)) continue;
    const block = { ...readBlock(artifact, line - 1), from: line };
    const has = (key: string) => block.rows.some((row) => row.key === key);
    const isOurs = has('benchmark duration (s)') && has('request throughput (req/s)');
    if (isOurs && block.rows.some(({ key }) => latencyRow.test(key))) found.push(block);
  }
  return found;
}

/** All blocks in order of appearance, from any program. */
export const findServingBlocks = cachedPerArtifact((artifact): ServingBlock[] => {
  const blocks: ServingBlock[] = [];
  for (const line of artifact.linesWith('Serving Benchmark Result')) {
    if (line <= (blocks.at(-1)?.to ?? 0) || !banner.test(artifact.lineAt(line))) continue;
    const block = readBlock(artifact, line);
    // SGLang's benchmark of images and video has the same banner, but no tokens. It is rejected by name.
    if (!block.rows.some(({ key }) => key === 'latency mean (s)')) blocks.push(block);
  }
  const headless = findHeadless(artifact, blocks);
  if (headless.length > 0) blocks.push(...headless);
  blocks.sort((a, b) => a.from - b.from);
  return blocks;
});
