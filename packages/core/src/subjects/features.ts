import { z } from 'zod';
import { NameSchema } from '../text/text.ts';

/**
 * Limits features, because every result of a submission contains its system: ten thousand results would repeat ten thousand
 * features.
 */
export const FeaturesSchema = z
  .record(z.string(), z.unknown())
  .refine((features) => Object.keys(features).length <= 64, { error: 'must have at most 64 entries', abort: true })
  .refine((features) => JSON.stringify(features).length <= 4000, {
    error: 'must have at most 4000 characters as JSON',
    abort: true,
  })
  .pipe(z.record(z.string().regex(/^[a-z][a-z0-9_]{0,63}$/), z.union([NameSchema, z.number(), z.boolean()])));
