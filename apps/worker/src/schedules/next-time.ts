import { Cron } from 'croner';

/**
 * The first time after an instant that a cron expression of five fields names in a time zone; null where there is none.
 * Where clocks go forward, a fixed time of day that is left out comes right after the gap; where they go back, one that
 * comes twice counts once, but intervals such as every hour go on through both.
 *
 * @throws TypeError or RangeError where the expression or the time zone cannot be read
 */
export function nextTime(cron: string, timeZone: string, after: Date): Date | null {
  return new Cron(cron, { mode: '5-part', timezone: timeZone }).nextRun(after);
}
