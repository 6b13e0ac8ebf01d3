import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { readNamedSources } from '@inferboard/core/plans/datasets';
import { builtInPrices, readPriceList } from '@inferboard/core/prices/price-list';
import { logFormats, logLevels } from '@inferboard/telemetry/log';
import type { TelemetrySettings } from '@inferboard/telemetry/settings';
import { protocols } from '@inferboard/telemetry/start-tracing';
import { z } from 'zod';
import { readsDefault, writesDefault } from '../http/rate-limits.ts';
import { readFiles } from './env-files.ts';
import { findWrongNames } from './setting-names.ts';

const roleNames = ['api', 'worker', 'site'] as const;

/** The data of a fresh installation: the seed sample, the pack of published results, or both. */
const both = ['seeds', 'public'] as const;
const sampleWords = { true: both, both, seeds: ['seeds'], public: ['public'], false: [] } as const;
export type SamplePart = 'seeds' | 'public';

const sample = z
  .enum(['true', 'both', 'seeds', 'public', 'false'], { error: 'must be true, seeds, public or false' })
  .transform((word): readonly SamplePart[] => sampleWords[word]);

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

const databaseUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\/\S+$/, 'must be a URL such as postgres://user:password@host:5432/database');

const perMinute = z
  .string()
  .regex(/^(?:off|[1-9]\d{0,8})$/, 'must be off, or a number per minute: a whole number from 1 to 999999999')
  .transform((text) => (text === 'off' ? null : Number(text)));

const port = z
  .string()
  .regex(/^\d{1,5}$/, 'must be a port number')
  .transform(Number)
  .pipe(z.number().max(65_535, 'must be a port number'));

const webAddress = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .transform((url) => url.replace(/\/+$/, ''));

const priceList = z.string().transform((path, context) => {
  try {
    return readPriceList(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    const reason =
      error instanceof Error && 'code' in error
        ? `cannot be read (${error.code})`
        : `is invalid: ${error instanceof Error ? error.message : error}`;
    context.addIssue({ code: 'custom', message: `names ${path}, which ${reason}` });
    return z.NEVER;
  }
});

/** Every setting with its default. The README describes them for users. */
const settings = {
  PORT: port.default(8787),
  PROBE_PORT: port.optional(),
  PROCESSES: z
    .string()
    .regex(/^(?:[1-9]|[1-5][0-9]|6[0-4])$/, 'must be a number of processes: a whole number from 1 to 64')
    .transform(Number)
    .default(process.platform === 'linux' ? Math.min(availableParallelism(), 8) : 1),
  HOST: z.string().min(1).default('127.0.0.1'),
  DATABASE_URL: databaseUrl.optional(),
  DATABASE_READ_URL: list(databaseUrl)
    .refine((urls) => urls.length > 0, 'must name at least one database')
    .optional(),
  DATABASE_DIRECT_URL: databaseUrl.optional(),
  ARTIFACT_STORE: z.enum(['database', 's3'], { error: 'must be database or s3' }).default('database'),
  S3_ENDPOINT: webAddress.optional(),
  S3_BUCKET: z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'must be the name of a bucket')
    .optional(),
  S3_REGION: z.string().min(1).default('us-east-1'),
  S3_ACCESS_KEY_ID: z.string().min(1).optional(),
  S3_SECRET_ACCESS_KEY: z.string().min(1).optional(),
  CACHE_MB: z
    .string()
    .regex(/^\d{1,5}$/, 'must be megabytes: a whole number from 0 to 99999')
    .transform(Number)
    .default(64),
  DATA_DIR: z.string().min(1).default('.data'),
  ADMIN_KEY: z.string().min(24, 'must have 24 characters or more').optional(),
  SAMPLE_DATA: sample.default(sampleWords.true),
  REGISTRATION: z.enum(['closed', 'open'], { error: 'must be closed or open' }).default('closed'),
  ESTABLISHED_AFTER_DAYS: z
    .string()
    .regex(/^\d{1,4}$/, 'must be days: a whole number from 0 to 9999')
    .transform(Number)
    .default(14),
  RUN_THREADS: z
    .string()
    .regex(/^[1-9]\d?$/, 'must be a whole number from 1 to 99')
    .transform(Number)
    .default(1),
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
        context.addIssue({ code: 'custom', message: `is invalid: ${error instanceof Error ? error.message : error}` });
      }
    })
    .default(''),
  PRICES: priceList.default(() => builtInPrices),
  ENDPOINT_ALLOW_CIDRS: list(cidr).default([]),
  ROLES: list(z.enum(roleNames, { error: `must be one or more of ${roleNames.join(',')}` }))
    .pipe(z.array(z.enum(roleNames)).min(1, 'must name at least one role'))
    .default([...roleNames]),
  PUBLIC_URL: webAddress.optional(),
  API_URL: webAddress.optional(),
  SITE_KEY: z.string().min(24, 'must have 24 characters or more').optional(),
  DRAIN_S: z
    .string()
    .regex(/^(?:[0-9]|[1-5][0-9]|60)$/, 'must be seconds: a whole number from 0 to 60')
    .transform(Number)
    .default(0),
  LOG_FORMAT: z.enum(logFormats, { error: `must be one of ${logFormats.join(', ')}` }).default('text'),
  LOG_LEVEL: z.enum(logLevels, { error: `must be one of ${logLevels.join(', ')}` }).default('info'),
  // The OpenTelemetry settings used here; its libraries read the others.
  OTEL_EXPORTER_OTLP_ENDPOINT: webAddress.optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: webAddress.optional(),
  OTEL_EXPORTER_OTLP_PROTOCOL: z
    .enum(protocols, { error: `must be one of ${protocols.join(', ')}` })
    .default('http/protobuf'),
} as const;

export type Env = z.output<z.ZodObject<typeof settings>>;

/** The names of all settings. @internal */
export const settingNames: readonly string[] = Object.keys(settings);

/** Settings that accept a file in `<name>_FILE`: secrets, and URLs that contain one. */
export const settingsInFiles: readonly string[] = [
  'DATABASE_URL',
  'DATABASE_READ_URL',
  'DATABASE_DIRECT_URL',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
  'ADMIN_KEY',
  'SECRET_KEY',
  'SECRET_KEY_EARLIER',
  'SITE_KEY',
];

/** An error with one line that names the invalid setting and the problem. */
export class SettingsError extends Error {}

/** Base URL of links in responses: the published one, or the listening address. */
export function publicUrlOf({ PUBLIC_URL, HOST }: Env, port: number): string {
  const shownHost = HOST === '127.0.0.1' || HOST === '0.0.0.0' ? 'localhost' : HOST;
  return PUBLIC_URL ?? `http://${shownHost}:${port}`;
}

/** What is wrong with valid settings in combination, one sentence each, without its full stop. */
function findConflicts({ API_URL, ROLES, PORT, PROBE_PORT, DATABASE_URL, DATABASE_DIRECT_URL }: Env): string[] {
  const faults: string[] = [];
  if (API_URL !== undefined && ROLES.some((role) => role !== 'site'))
    faults.push('API_URL is only for a separate site process. Set ROLES to site, or remove API_URL');
  // A process with only the worker role does not listen on PORT. Port 0 is any free one.
  if (PROBE_PORT === PORT && PORT !== 0 && ROLES.some((role) => role !== 'worker'))
    faults.push(`PROBE_PORT and PORT are both ${PORT}. Set two different ports`);
  // An embedded database serves one process and its children. Without an API, it stays empty.
  if (DATABASE_URL === undefined && API_URL === undefined && !ROLES.includes('api'))
    faults.push(
      `ROLES is ${ROLES.join()}, without api, so this process needs the database of the API. Set DATABASE_URL` +
        (ROLES.join() === 'site' ? ', or API_URL to the URL of the API' : ''),
    );
  if (DATABASE_DIRECT_URL !== undefined && DATABASE_URL === undefined)
    faults.push('DATABASE_DIRECT_URL requires DATABASE_URL, the same database through its pooler');
  return faults;
}

/**
 * Reads the settings from an environment, and from the files it names. Empty values count as unset.
 *
 * @throws SettingsError naming every invalid variable
 */
export function parseEnv(variables: Record<string, string | undefined>): Env {
  const { environment, faults } = readFiles(variables, settingsInFiles);
  const sentences = [
    ...findWrongNames(Object.keys(variables), settingNames, settingsInFiles),
    ...faults.map((fault) => `${fault}.`),
  ];
  const given = Object.fromEntries(settingNames.map((name) => [name, environment[name] || undefined]));
  const parsed = z.object(settings).safeParse(given);
  const values = parsed.error?.issues.map((issue) => `${issue.path[0]?.toString()} ${issue.message}`) ?? [];
  if (values.length > 0) sentences.push(`${[...new Set(values)].join('; ')}.`);
  if (parsed.success) sentences.push(...findConflicts(parsed.data).map((fault) => `${fault}.`));
  if (!parsed.success || sentences.length > 0) throw new SettingsError(`Cannot start: ${sentences.join(' ')}`);
  return parsed.data;
}

/** The log and trace settings. */
export const telemetryOf = (env: Env): TelemetrySettings => ({
  log: { format: env.LOG_FORMAT, level: env.LOG_LEVEL },
  traces: {
    isOn: (env.OTEL_EXPORTER_OTLP_ENDPOINT ?? env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT) !== undefined,
    protocol: env.OTEL_EXPORTER_OTLP_PROTOCOL,
  },
});
