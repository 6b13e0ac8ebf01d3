import { guarded } from '@inferboard/core/format/csv-text';
import type { RequestRecord } from '@inferboard/core/records';
import { formatLoad } from '@inferboard/core/subjects/load';
import type { RecordedPoint } from './recorded-point.ts';

type Cell = string | number | null;
type Column = readonly [name: string, of: (request: RequestRecord, point: RecordedPoint, place: number) => Cell];

const gapsOf = ({ gapsMs }: RequestRecord) => (gapsMs === null || gapsMs.length === 0 ? null : gapsMs);

const columns: readonly Column[] = [
  ['scenario', (_, { scenario }) => scenario],
  ['load', (_, { load }) => formatLoad(load)],
  ['load_mode', (_, { load }) => load.mode],
  ['load_level', (_, { load }) => load.level],
  ['repetition', (_, { repetition }) => repetition],
  ['started_at', (_, { startedUnixMs }) => (startedUnixMs === null ? null : new Date(startedUnixMs).toISOString())],
  ['request', (_request, _point, place) => place],
  ['sent_s', ({ sentS }) => sentS],
  ['input_tokens', ({ inputTokens }) => inputTokens],
  ['cached_tokens', ({ cachedTokens }) => cachedTokens],
  ['output_tokens', ({ outputTokens }) => outputTokens],
  ['max_tokens', ({ maxTokens }) => maxTokens],
  ['ttft_ms', ({ ttftMs }) => ttftMs],
  ['e2e_ms', ({ e2eMs }) => e2eMs],
  ['itl_ms_max', (request) => gapsOf(request)?.reduce((most, gap) => Math.max(most, gap), 0) ?? null],
  ['itl_ms', (request) => gapsOf(request)?.join(' ') ?? null],
  ['error', ({ error }) => error],
];

function cellText(value: Cell): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = guarded(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Every request as a row, with a heading; `itl_ms` are its gaps with spaces between them. Lines end as RFC 4180 has them. */
export function* recordsCsv(points: readonly RecordedPoint[]): Generator<string> {
  yield `${columns.map(([name]) => name).join(',')}\r\n`;
  for (const point of points)
    for (const [place, request] of point.requests.entries())
      yield `${columns.map(([, of]) => cellText(of(request, point, place))).join(',')}\r\n`;
}
