import { Cron } from 'croner';

/**
 * The first time after an instant that matches a five-field cron expression in a time zone; null if there is none. When clocks
 * go forward, a skipped fixed time is due right after the gap. When they go back, a repeated fixed time counts once, but
 * intervals such as hourly continue through both.
 *
 * @throws TypeError or RangeError if the expression or the time zone is invalid
 */
export function nextTime(cron: string, timeZone: string, after: Date): Date | null {
  return new Cron(cron, { mode: '5-part', timezone: timeZone }).nextRun(after);
}
