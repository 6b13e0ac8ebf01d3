import { z } from 'zod';

const earliest = Date.parse('1970-01-01T00:00:00Z');
const latest = Date.parse('2100-01-01T00:00:00Z');

/** A timestamp: RFC 3339 with an offset, limited to the years of benchmarks. */
export const InstantSchema = z.iso
  .datetime({ offset: true, error: 'must be an RFC 3339 time, such as 2026-11-21T12:00:00Z', abort: true })
  .max(40, { error: 'must have at most 40 characters', abort: true })
  // No time zone is more than 14 hours from UTC, and the database rejects an offset of 16.
  .refine((text) => !/[+-](1[5-9]|2\d):\d\d$/.test(text), {
    error: 'must have an offset of less than 15 hours',
    abort: true,
  })
  .refine((text) => Date.parse(text) >= earliest && Date.parse(text) < latest, 'must be a time between 1970 and 2100')
  .meta({ type: 'string', format: 'date-time', maxLength: 40 });

export const isSameInstant = (a: string, b: string): boolean => Date.parse(a) === Date.parse(b);
