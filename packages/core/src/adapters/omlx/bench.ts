import type { Fault } from '../../errors.ts';
import type { MetricName } from '../../metrics/index.ts';
import {
  type Adapter,
  noFacts,
  noRemarks,
  noResult,
  noScenario,
  type ParsedResult,
  type ReaderNote,
} from '../adapter.ts';
import { ArtifactError, addFaults } from '../errors.ts';
import { modelFacts } from '../reading/context/model-name.ts';
import { parseNumber, shiftDecimal } from '../reading/figures/numbers.ts';
import { definitionsOf } from '../reading/figures/report-figures.ts';
import type { ArtifactText } from '../reading/text/artifact-text.ts';
import { countBefore, findAt } from '../reading/text/by-line.ts';
import { cachedPerArtifact } from '../reading/text/cached-per-artifact.ts';

const id = 'omlx-bench';

interface Row {
  line: number;
  cells: (number | null)[];
}

/** One table of a report. Lines are 1-based and inclusive. */
interface Table {
  from: number;
  to: number;
  isBatch: boolean;
  rows: Row[];
  model: string | null;
  /** Of a table of batches: the requested lengths and whether the prompts are the same, stated once. */
  asked: { prompt: number; answer: number; isCached: boolean } | null;
  faults: Fault[];
}

const singleHeader =
  /^\s{0,8}Test\s{1,40}TTFT\(ms\)\s{1,20}TPOT\(ms\)\s{1,20}pp TPS\s{1,20}tg TPS\s{1,20}E2E\(s\)\s{1,20}Throughput\s{1,20}Peak Mem\s*$/;
const batchHeader =
  /^\s{0,8}Batch\s{1,40}tg TPS\s{1,20}Speedup\s{1,20}pp TPS\s{1,20}pp TPS\/req\s{1,20}TTFT\(ms\)\s{1,20}E2E\(s\)\s*$/;
const number = String.raw`([\d.]{1,15}|-|—)`;
const rate = String.raw`([\d.]{1,15}|-|—)(?: tok\/s)?`;
const gap = String.raw`\s{1,20}`;
const singleRow = new RegExp(
  String.raw`^\s{0,8}pp(\d{1,9})\/tg(\d{1,9})${gap}${number}${gap}${number}${gap}${rate}${gap}${rate}${gap}${number}${gap}${rate}${gap}(?:([\d.]{1,12}) GB|-|—)\s*$`,
);
const batchRow = new RegExp(
  String.raw`^\s{0,8}(\d{1,5})x${gap}${rate}${gap}(?:([\d.]{1,12})x|-|—)${gap}${rate}${gap}${rate}${gap}${number}${gap}${number}\s*$`,
);
const beginsRow = /^\s{0,8}(?:pp\d{1,9}\/tg\d{1,9}|\d{1,5}x)\s/;
const modelLine = /^\s{0,8}Benchmark Model: (\S.{0,200}?)\s*$/;
const askedLine = /^\s{0,8}pp(\d{1,9}) \/ tg(\d{1,9}) · (.{1,60}?)\s*$/;
/** Number of lines above a table that may contain the text below its title. */
const askedLines = 4;

function readTable(artifact: ArtifactText, line: number): Table | null {
  const header = artifact.lineAt(line);
  const isBatch = batchHeader.test(header);
  if (!isBatch && !singleHeader.test(header)) return null;
  const table: Table = { from: line, to: line, isBatch, rows: [], model: null, asked: null, faults: [] };
  for (let at = line + 1; at <= artifact.lines.length; at++) {
    const text = artifact.lineAt(at).slice(0, 300);
    const found = (isBatch ? batchRow : singleRow).exec(text);
    if (found === null) {
      const message = `The row on line ${at} does not have the columns of its header.`;
      if (beginsRow.test(text)) addFaults(table.faults, [{ code: 'row_unreadable', line: at, message }]);
      break;
    }
    table.rows.push({ line: at, cells: found.slice(1).map((cell) => parseNumber(cell ?? '')) });
    table.to = at;
  }
  for (let at = line - 1; at >= Math.max(1, line - askedLines) && isBatch; at--) {
    const [, prompt, answer, words = ''] = askedLine.exec(artifact.lineAt(at).slice(0, 200)) ?? [];
    if (words !== '')
      table.asked = { prompt: Number(prompt), answer: Number(answer), isCached: !/no cache/.test(words) };
  }
  return table;
}

/** All tables in order of appearance. A batch table that only repeats a single request has no rows. */
const findTables = cachedPerArtifact((artifact): Table[] => {
  const tables = artifact.linesWith('TTFT(ms)').flatMap((line) => readTable(artifact, line) ?? []);
  const found = tables.filter(({ rows, faults }) => rows.length > 0 || faults.length > 0);
  const models = artifact.linesWith('Benchmark Model: ').map((line) => ({ from: line }));
  for (const table of found) {
    const line = models[countBefore(models, table.from) - 1]?.from ?? 0;
    table.model = modelLine.exec(artifact.lineAt(line).slice(0, 300))?.[1] ?? null;
  }
  return found;
});

interface Point {
  metrics: [MetricName, number | null][];
  load: ParsedResult['load'];
  inputTokens: number | null;
  outputTokens: number | null;
  features: Record<string, boolean>;
  extra: Record<string, number>;
  notes: ReaderNote[];
}

/** Below this share of the requested tokens, a response ended early. */
const wholeShare = 0.9;

function toSingle(cells: Row['cells']): Point {
  const [input = null, asked = null, ttft, tpot, prefill, decode, e2eS, total, memory] = cells;
  const written =
    ttft != null && tpot != null && e2eS != null && tpot > 0 ? (shiftDecimal(e2eS, 3) - ttft) / tpot + 1 : null;
  const isShort = written !== null && asked !== null && written < wholeShare * asked;
  const message = `${asked} tokens were requested, but about ${Math.round(written ?? 0)} were returned: the speeds are those of a short response.`;
  return {
    metrics: [
      ['ttft_ms_mean', ttft ?? null],
      ['tpot_ms_mean', tpot ?? null],
      ['e2e_ms_mean', e2eS == null ? null : shiftDecimal(e2eS, 3)],
      ['prefill_tok_s', prefill ?? null],
      ['decode_tok_s', decode ?? null],
      ['user_tok_s', decode ?? null],
      ['total_tok_s', total ?? null],
    ],
    load: { mode: 'concurrency', level: 1 },
    inputTokens: input,
    outputTokens: isShort ? null : asked,
    features: {},
    extra: memory == null ? {} : { peak_memory_gb: memory },
    notes: isShort ? [{ code: 'short_answers', severity: 'warning', message, evidence: { asked } }] : [],
  };
}

/** If the mean time to first token exceeds this share of the last one, all prompts were processed before any response. */
const togetherShare = 0.9;

function toBatch(cells: Row['cells'], asked: Table['asked']): Point | null {
  const [size = null, decode, , prefill, , ttft, wallS] = cells;
  // A batch of one is the single request of the table above.
  if (size === null || size < 2) return null;
  const lastFirstMs = asked !== null && prefill != null && prefill > 0 ? (size * asked.prompt * 1000) / prefill : null;
  // Tokens of all responses divided by the time after the last first token. Valid if no tokens were generated before it.
  const isTogether = lastFirstMs !== null && ttft != null && ttft >= togetherShare * lastFirstMs;
  const isCached = asked?.isCached === true;
  const message =
    'The prompts are identical, so part of them came from the prefix cache: this is not the speed of cold prompts.';
  return {
    metrics: [
      ['ttft_ms_mean', ttft ?? null],
      ['duration_s', wallS ?? null],
      ['requests_ok', size],
      ['prefill_tok_s', isCached ? null : (prefill ?? null)],
      ['decode_tok_s', isTogether ? (decode ?? null) : null],
    ],
    load: { mode: 'burst', level: size },
    inputTokens: asked?.prompt ?? null,
    outputTokens: asked?.answer ?? null,
    features: isCached ? { prefix_caching: true } : {},
    extra: {
      ...(decode == null ? {} : { batch_tg_tok_s: decode }),
      ...(prefill == null ? {} : { batch_pp_tok_s: prefill }),
    },
    notes: isCached ? [{ code: 'prefix_cache_hits', severity: 'info', message, evidence: {} }] : [],
  };
}

const definitions: Record<string, string> = {
  ttft_ms: 'send_to_first_token',
  tpot_ms: 'without_first_token',
  e2e_ms: 'request',
  prefill_tok_s: 'in_process',
  decode_tok_s: 'in_process',
  user_tok_s: 'in_process',
};

function toResult({ line }: Row, point: Point, model: string | null): ParsedResult {
  const metrics = point.metrics.filter((entry): entry is [MetricName, number] => (entry[1] ?? 0) > 0);
  const length = (value: number | null) =>
    value === null || value < 1 ? null : ({ value, origin: 'stated' } as const);
  return {
    ...noResult,
    system: {
      ...noFacts,
      ...modelFacts(model, 'stated'),
      // Assumes its own engine. It can also test other servers, but does not state it.
      engine: { value: 'mlx', origin: 'inferred' },
      features: point.features,
    },
    scenario: { ...noScenario, inputTokens: length(point.inputTokens), outputTokens: length(point.outputTokens) },
    load: point.load,
    metrics: Object.fromEntries(metrics),
    definitions: definitionsOf(metrics, definitions),
    extra: point.extra,
    notes: point.notes,
    lines: { from: line, to: line },
  };
}

/**
 * The benchmark of oMLX, as copied from its page: one request for each length, then several at once with the same and with
 * different prompts. The serving program measures the times, without HTTP.
 *
 * Written by https://github.com/jundot/omlx/blob/main/omlx/admin/benchmark.py
 */
export const omlxBench: Adapter = {
  id,
  title: 'oMLX benchmark',
  kind: 'serving',
  recognises:
    'a table with the columns "Test", "TTFT(ms)", "TPOT(ms)", "pp TPS", "tg TPS", or "Batch", "tg TPS", "Speedup"',
  command: 'In the admin page of oMLX: Bench, Performance, run, copy as text',
  detect: (artifact) => findTables(artifact).map(({ from, to }) => ({ adapter: id, from, to })),
  read: (artifact, claim) => {
    const tool = { name: 'oMLX benchmark', version: null };
    const { found } = findAt(findTables(artifact), claim.from);
    if (found === null) return { tool, results: [], ignored: [], ...noRemarks };
    if (found.faults.length > 0) throw new ArtifactError(found.faults);
    const results = found.rows.flatMap((row) => {
      const point = found.isBatch ? toBatch(row.cells, found.asked) : toSingle(row.cells);
      return point === null ? [] : [toResult(row, point, found.model)];
    });
    return { tool, results, ignored: [], ...noRemarks };
  },
};
