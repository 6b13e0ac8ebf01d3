import { editDistance, nearest } from '@inferboard/core/nearest';
import { readNamedSources } from '@inferboard/core/plans/datasets';
import { z } from 'zod';
import { readsDefault, writesDefault } from './rate-limits.ts';

const roleNames = ['api', 'worker', 'site'] as const;
export type Role = (typeof roleNames)[number];

const flag = z.enum(['true', 'false'], { error: 'must be true or false' }).transform((text) => text === 'true');

const cidr = z.union([z.cidrv4(), z.cidrv6()], { error: 'must be networks such as 10.0.0.0/8, separated by commas' });

const list = <T>(item: z.ZodType<T, string>) =>
  z
    .string()
    .transform((text) =>
      text
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== ''),
    )
    .pipe(z.array(item));

const perMinute = z
  .string()
  .regex(/^(?:off|[1-9]\d{0,8})$/, 'must be off, or how many in a minute: a whole number from 1 to 999999999')
  .transform((text) => (text === 'off' ? null : Number(text)));

/** Every setting with its default. What each means for a user stands in README. */
const settings = {
  PORT: z
    .string()
    .regex(/^\d{1,5}$/, 'must be a port number')
    .transform(Number)
    .pipe(z.number().max(65_535, 'must be a port number'))
    .default(8787),
  HOST: z.string().min(1).default('127.0.0.1'),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\/\S+$/, 'must look like postgres://user:password@host:5432/database')
    .optional(),
  DATA_DIR: z.string().min(1).default('.data'),
  ADMIN_KEY: z.string().min(24, 'must have 24 characters or more').optional(),
  SAMPLE_DATA: flag.default(true),
  REGISTRATION: z.enum(['closed', 'open'], { error: 'must be closed or open' }).default('closed'),
  RATE_LIMIT_READS: perMinute.default(readsDefault),
  RATE_LIMIT_WRITES: perMinute.default(writesDefault),
  TRUSTED_PROXIES: list(cidr).default([]),
  SECRET_KEY: z.string().min(16, 'must have 16 characters or more').optional(),
  SECRET_KEY_EARLIER: list(z.string().min(16, 'must have 16 characters or more')).default([]),
  DATASETS: z
    .string()
    .superRefine((text, context) => {
      try {
        readNamedSources(text);
      } catch (error) {
        context.addIssue({ code: 'custom', message: `is wrong: ${error instanceof Error ? error.message : error}` });
      }
    })
    .default(''),
  ENDPOINT_ALLOW_CIDRS: list(cidr).default([]),
  ROLES: list(z.enum(roleNames, { error: `must be some of ${roleNames.join(',')}` }))
    .pipe(z.array(z.enum(roleNames)).min(1, 'must name at least one role'))
    .default([...roleNames]),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address' })
    .transform((url) => url.replace(/\/+$/, ''))
    .optional(),
} as const;

export type Env = z.output<z.ZodObject<typeof settings>>;

/** One line that says which setting is wrong and how. */
export class SettingsError extends Error {}

/** A setting that a variable's name misses by a letter or two. Short names are too like other programs' to judge. */
function misspelt(name: string): string | null {
  if (name.length < 8 || name in settings) return null;
  const meant = nearest(
    name,
    Object.keys(settings).filter((known) => known.length >= 8),
  );
  return meant !== null && editDistance(name, meant) <= 2 ? meant : null;
}

/**
 * Reads the settings from an environment. Empty values count as unset.
 *
 * @throws SettingsError naming every variable that is malformed
 */
export function parseEnv(environment: Record<string, string | undefined>): Env {
  for (const name of Object.keys(environment)) {
    const meant = misspelt(name);
    if (meant !== null) throw new SettingsError(`Cannot start: ${name} is not a setting; did you mean ${meant}?`);
  }
  const given = Object.fromEntries(Object.keys(settings).map((name) => [name, environment[name] || undefined]));
  const parsed = z.object(settings).safeParse(given);
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => `${issue.path[0]?.toString()} ${issue.message}`);
    throw new SettingsError(`Cannot start: ${[...new Set(faults)].join('; ')}.`);
  }
  return parsed.data;
}
