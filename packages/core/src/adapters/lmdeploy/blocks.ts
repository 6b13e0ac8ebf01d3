import type { MetricName } from '../../metrics/index.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';

/** One printed block between two rules. Lines are 1-based and inclusive. */
export interface Block {
  from: number;
  to: number;
  rows: { line: number; label: string; value: string }[];
}

const labelled = /^\s{0,8}([A-Za-z][A-Za-z0-9 _()+,%/-]{2,70}): {1,9}(\S.{0,200}?)\s*$/;
export const statistics = ['min', 'max', 'mean'] as const;
const percentiles = ['p50', 'p75', 'p95', 'p99'] as const;

/** A figure after a label: one number with a unit, or several times in seconds. */
export type Meaning =
  | { kind: 'figure'; name: MetricName; unit: string }
  | { kind: 'times'; base: string; words: readonly string[] }
  | { kind: 'own' };

const meanings: Record<string, Meaning> = {
  concurrency: { kind: 'own' },
  // As the first versions spell it.
  cocurrency: { kind: 'own' },
  'total time': { kind: 'figure', name: 'duration_s', unit: 's' },
  elapsed_time: { kind: 'figure', name: 'duration_s', unit: 's' },
  input_tokens: { kind: 'own' },
  'first token latency(s)(min, max, ave)': { kind: 'times', base: 'ttft_ms', words: statistics },
  'first_token latency(min, max, ave)': { kind: 'times', base: 'ttft_ms', words: statistics },
  // From the first token to the last. Used only if nothing was streamed, where it is the latency.
  'token latency(min, max, ave)': { kind: 'own' },
  'total_token latency(min, max, ave)': { kind: 'times', base: 'e2e_ms', words: statistics },
  'per-token latency(s) percentile(50, 75, 95, 99)': { kind: 'times', base: 'itl_ms', words: percentiles },
  'token_latency percentiles(50%,75%,95%,99%)(s)': { kind: 'times', base: 'itl_ms', words: percentiles },
  'number of failed requests': { kind: 'figure', name: 'requests_failed', unit: '' },
  'number of prompt tokens': { kind: 'figure', name: 'input_tokens', unit: '' },
  'number of completion tokens': { kind: 'figure', name: 'output_tokens', unit: '' },
  'number of request completion tokens': { kind: 'own' },
  'local tokenlizer throughput (completion token)': { kind: 'own' },
  'token throughput (completion token)': { kind: 'figure', name: 'output_tok_s', unit: 'token/s' },
  'token throughput (prompt + completion token)': { kind: 'figure', name: 'total_tok_s', unit: 'token/s' },
  'token throughput': { kind: 'figure', name: 'output_tok_s', unit: 'token/s' },
  'req throughput': { kind: 'figure', name: 'req_s', unit: 'req/s' },
  throughput: { kind: 'figure', name: 'output_tok_s', unit: 'token/s' },
  'throughput(output)': { kind: 'figure', name: 'output_tok_s', unit: 'token/s' },
  'throughput(total)': { kind: 'figure', name: 'total_tok_s', unit: 'token/s' },
  'RPS (request per second)': { kind: 'figure', name: 'req_s', unit: 'req/s' },
  'PPS (request per second)': { kind: 'figure', name: 'req_s', unit: 'req/s' },
  'RPM (request per minute)': { kind: 'own' },
};
/** The last line of each layout. */
export const last = ['RPM (request per minute)', 'throughput(total)', 'throughput', 'req throughput'];
export const meaningOf = (label: string) => (Object.hasOwn(meanings, label) ? meanings[label] : undefined);

const longest = 30;
/** Labels that begin the next run. Another label that occurs again is an error. */
const openers = new Set(['concurrency', 'cocurrency', 'total time']);
function readRows(artifact: ArtifactText, from: number): Block['rows'] {
  const rows: Block['rows'] = [];
  const seen = new Set<string>();
  for (let line = from; line < from + longest && line <= artifact.lines.length; line++) {
    const text = artifact.lineAt(line);
    const [, label = '', value = ''] = labelled.exec(text) ?? [];
    if (meaningOf(label) === undefined || (seen.has(label) && openers.has(label))) {
      if (text.trim() === '') continue;
      break;
    }
    seen.add(label);
    rows.push({ line, label, value });
    if (last.includes(label)) break;
  }
  return rows;
}

/** All blocks in order of appearance. "concurrency" is a common word, so a block also needs a token rate. */
export const findBlocks = cachedPerArtifact((artifact): Block[] => {
  const blocks: Block[] = [];
  for (const line of artifact.linesWith('concurrency: ', 'cocurrency: ')) {
    if (line <= (blocks.at(-1)?.to ?? 0)) continue;
    if (!/^co(?:nc|c)urrency$/.test(labelled.exec(artifact.lineAt(line))?.[1] ?? '')) continue;
    // One of the programs prints the time above.
    const from = labelled.exec(artifact.lineAt(line - 1))?.[1] === 'total time' ? line - 1 : line;
    const rows = readRows(artifact, from);
    const has = (...labels: string[]) => rows.some(({ label }) => labels.includes(label));
    // The only throughput of a version with this label may be per session.
    const isOurs =
      (has('elapsed_time', 'total time') && has('token throughput (completion token)', 'throughput(output)')) ||
      (has('elapsed_time') && has('token throughput') && has('req throughput')) ||
      (has('elapsed_time', 'total time') && has('throughput') && has('first_token latency(min, max, ave)'));
    if (isOurs) blocks.push({ from, to: rows.at(-1)?.line ?? line, rows });
  }
  return blocks;
});
