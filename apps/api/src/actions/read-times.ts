import type { Fault } from '@inferboard/core/errors';
import { Cron } from 'croner';

/** When runs of a schedule begin. */
export interface Times {
  /** Five fields. */
  cron: string;
  timeZone: string;
  /** The first time after now. */
  nextAt: Date;
}

/** Seconds between two runs at least. */
export const gapLeastS = 3600;
/** Times ahead that are looked at: two days of the most that there may be. */
const timesChecked = 50;

const fault = (pointer: string, code: string, message: string, hint: string): Fault[] => [
  { code, pointer, message, hint },
];

const isTimeZone = (name: string): boolean => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
};

function readTimeZone(written: unknown): string | Fault[] {
  if (written === undefined || written === null) return 'UTC';
  const example = 'Name one as the tz database does: Europe/Berlin.';
  if (typeof written !== 'string') return fault('/time_zone', 'value_invalid', 'time_zone must be a string', example);
  // Names alone: offsets have no summer time, which whoever writes one seldom means.
  if (/^[A-Za-z][\w+/-]{0,99}$/.test(written) && isTimeZone(written)) return written;
  return fault('/time_zone', 'time_zone_unknown', `There is no time zone "${written.slice(0, 100)}".`, example);
}

/** The times of an expression, the next first; null where it is none. */
function timesOf(cron: string, timezone: string, now: Date): Date[] | null {
  try {
    return new Cron(cron, { timezone, mode: '5-part', paused: true }).nextRuns(timesChecked, now);
  } catch {
    return null;
  }
}

function readCron(written: unknown, timeZone: string, now: Date): { cron: string; nextAt: Date } | Fault[] {
  const example = 'Five fields, minute first: "30 3 * * MON" is Mondays at 3:30.';
  if (written === undefined) return fault('/cron', 'value_invalid', 'cron is missing', example);
  if (typeof written !== 'string') return fault('/cron', 'value_invalid', 'cron must be a string', example);
  const cron = written.trim().replace(/\s+/g, ' ');
  // The library knows names for some, and takes a single date as well.
  const times = cron.length <= 200 && cron.split(' ').length === 5 ? timesOf(cron, timeZone, now) : null;
  if (times === null) return fault('/cron', 'cron_invalid', 'cron is not an expression of five fields.', example);
  const [nextAt] = times;
  if (nextAt === undefined) return fault('/cron', 'cron_never', 'cron names no time that ever comes.', example);
  const close = times.find((time, index) => {
    const before = times[index - 1];
    return before !== undefined && time.getTime() - before.getTime() < gapLeastS * 1000;
  });
  if (close === undefined) return { cron, nextAt };
  const message = `cron names times less than an hour apart: ${close.toISOString()} follows too soon.`;
  return fault('/cron', 'cron_too_frequent', message, 'Name one minute and hours: "0 */6 * * *".');
}

/** When runs begin, as a caller says it, or all that is wrong with it. */
export function readTimes(body: { cron?: unknown; time_zone?: unknown }, now: Date): Times | Fault[] {
  const timeZone = readTimeZone(body.time_zone);
  const zone = typeof timeZone === 'string' ? timeZone : 'UTC';
  const read = readCron(body.cron, zone, now);
  if (typeof timeZone !== 'string') return [...(Array.isArray(read) ? read : []), ...timeZone];
  return Array.isArray(read) ? read : { ...read, timeZone };
}
