import { logFormats, logLevels } from '@inferboard/telemetry/log';
import { quietly } from '@inferboard/telemetry/settings';
import { protocols } from '@inferboard/telemetry/start-tracing';
import { z } from 'zod';

/** Settings that the parent process sends to the worker. */
export const SettingsSchema = z.strictObject({
  databaseUrl: z.string(),
  /** The object store of artifact bytes; null if there is none. */
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
  /** Opens the credentials of endpoints; null if none are stored. */
  secretKey: z.string().nullable(),
  /** Earlier keys that may still be in use. */
  earlierKeys: z.array(z.string()),
  allowCidrs: z.array(z.string()),
  publicUrl: z.string(),
  /** See `readNamedSources`. */
  datasets: z.string(),
  /** Minimum age in days of an established account. */
  establishedAfterDays: z.number().int().nonnegative().default(14),
  /** Threads that share the requests of a point. */
  runThreads: z.number().int().min(1).default(1),
  /** Seconds that a run waits for the workers that its plan asks for. */
  shareWaitS: z.number().nonnegative().default(30),
  telemetry: z
    .strictObject({
      log: z.strictObject({ format: z.enum(logFormats), level: z.enum(logLevels) }),
      traces: z.strictObject({ isOn: z.boolean(), protocol: z.enum(protocols) }),
    })
    .default(quietly),
});
export type WorkerSettings = z.input<typeof SettingsSchema>;
