import { logFormats, logLevels } from '@inferboard/telemetry/log';
import { quietly } from '@inferboard/telemetry/settings';
import { protocols } from '@inferboard/telemetry/start-tracing';
import { z } from 'zod';

/** What the worker is told by whoever starts it. */
export const SettingsSchema = z.strictObject({
  databaseUrl: z.string(),
  /** Where the bytes of artifacts lie beside the database; null: nowhere. */
  artifactStore: z
    .strictObject({
      endpoint: z.string(),
      bucket: z.string(),
      region: z.string(),
      accessKeyId: z.string(),
      secretAccessKey: z.string(),
      takesNew: z.boolean(),
    })
    .nullable()
    .default(null),
  /** Opens the credentials of endpoints; null where none are kept. */
  secretKey: z.string().nullable(),
  /** Keys that some may still be sealed with. */
  earlierKeys: z.array(z.string()),
  allowCidrs: z.array(z.string()),
  publicUrl: z.string(),
  /** See `readNamedSources`. */
  datasets: z.string(),
  /** The age from which an account of open registration may be established. */
  establishedAfterDays: z.number().int().nonnegative().default(14),
  telemetry: z
    .strictObject({
      log: z.strictObject({ format: z.enum(logFormats), level: z.enum(logLevels) }),
      traces: z.strictObject({ isOn: z.boolean(), protocol: z.enum(protocols) }),
    })
    .default(quietly),
});
export type WorkerSettings = z.input<typeof SettingsSchema>;
