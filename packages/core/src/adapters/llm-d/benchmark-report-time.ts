import type { JsonValue } from '../reading/documents/json.ts';
import { shiftDecimal } from '../reading/figures/numbers.ts';

/** Seconds since 1970 between 2001 and 2096; no report is from another time. */
const earliest = 1e9;
const latest = 4e9;

/** An instant as text with its offset, or as seconds since 1970; otherwise null. */
export function toInstant(value: JsonValue | undefined): string | null {
  if (typeof value === 'number')
    return value > earliest && value < latest ? new Date(Math.floor(shiftDecimal(value, 3))).toISOString() : null;
  if (typeof value !== 'string') return null;
  const isTime = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/.test(value);
  const time = isTime ? Date.parse(value.replace(' ', 'T')) : Number.NaN;
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}

/** Seconds of an ISO 8601 duration with hours as the largest unit: `PT49.97S`, `PT1H2M`. */
export function toDurationS(value: JsonValue | undefined): number | null {
  const parts =
    typeof value === 'string' ? /^PT(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,9}(?:\.\d{1,20})?)S)?$/.exec(value) : null;
  if (parts === null || value === 'PT') return null;
  const [, hours = '0', minutes = '0', seconds = '0'] = parts;
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
}
