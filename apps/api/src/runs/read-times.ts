import type { Fault } from '@inferboard/core/errors';
import { Cron } from 'croner';

/** The times at which runs of a schedule begin. */
export interface Times {
  /** A cron expression with five fields. */
  cron: string;
  timeZone: string;
  /** The first time after now. */
  nextAt: Date;
}

/** Minimum number of seconds between two runs. */
export const gapLeastS = 3600;
/** Number of upcoming times to check: two days at the highest frequency. */
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
  const example = 'Use a name of the tz database: Europe/Berlin.';
  if (typeof written !== 'string') return fault('/time_zone', 'value_invalid', 'time_zone must be a string', example);
  // Only zone names are valid. Fixed offsets have no daylight saving time, which users rarely intend.
  if (/^[A-Za-z][\w+/-]{0,99}$/.test(written) && isTimeZone(written)) return written;
  return fault('/time_zone', 'time_zone_unknown', `There is no time zone "${written.slice(0, 100)}".`, example);
}

/** The upcoming times of an expression, the next first; null if it is invalid. */
function timesOf(cron: string, timezone: string, now: Date): Date[] | null {
  try {
    return new Cron(cron, { timezone, mode: '5-part', paused: true }).nextRuns(timesChecked, now);
  } catch {
    return null;
  }
}

function readCron(written: unknown, timeZone: string, now: Date): { cron: string; nextAt: Date } | Fault[] {
  const example = 'Use five fields, minute first: "30 3 * * MON" is Mondays at 3:30.';
  if (written === undefined) return fault('/cron', 'value_invalid', 'cron is missing', example);
  if (typeof written !== 'string') return fault('/cron', 'value_invalid', 'cron must be a string', example);
  const cron = written.trim().replace(/\s+/g, ' ');
  // The library also accepts named expressions and single dates.
  const times = cron.length <= 200 && cron.split(' ').length === 5 ? timesOf(cron, timeZone, now) : null;
  if (times === null) return fault('/cron', 'cron_invalid', 'cron must be an expression of five fields.', example);
  const [nextAt] = times;
  if (nextAt === undefined) return fault('/cron', 'cron_never', 'cron never matches a time.', example);
  const close = times.find((time, index) => {
    const before = times[index - 1];
    return before !== undefined && time.getTime() - before.getTime() < gapLeastS * 1000;
  });
  if (close === undefined) return { cron, nextAt };
  const message = `cron matches times less than an hour apart: ${close.toISOString()} is too soon.`;
  return fault('/cron', 'cron_too_frequent', message, 'Use one minute and a list of hours: "0 */6 * * *".');
}

/** Parses the start times of a schedule, or returns all errors. */
export function readTimes(body: { cron?: unknown; time_zone?: unknown }, now: Date): Times | Fault[] {
  const timeZone = readTimeZone(body.time_zone);
  const zone = typeof timeZone === 'string' ? timeZone : 'UTC';
  const read = readCron(body.cron, zone, now);
  if (typeof timeZone !== 'string') return [...(Array.isArray(read) ? read : []), ...timeZone];
  return Array.isArray(read) ? read : { ...read, timeZone };
}
