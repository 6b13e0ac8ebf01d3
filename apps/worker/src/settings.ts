import { z } from 'zod';

/** What the worker is told by whoever starts it. */
export const SettingsSchema = z.strictObject({
  databaseUrl: z.string(),
  /** Opens the credentials of endpoints; null where none are kept. */
  secretKey: z.string().nullable(),
  /** Keys that some may still be sealed with. */
  earlierKeys: z.array(z.string()),
  allowCidrs: z.array(z.string()),
  publicUrl: z.string(),
  /** See `readNamedSources`. */
  datasets: z.string(),
});
export type WorkerSettings = z.infer<typeof SettingsSchema>;
