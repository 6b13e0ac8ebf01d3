import { z } from '@hono/zod-openapi';
import { PriceFileSchema } from '@inferboard/core/prices/price-list';
import { priceOrigins } from './prices-in-use.ts';

/** The body that replaces the price list. `parsePriceList` validates it, including rules that a schema cannot express. */
export const priceListDocument = z.toJSONSchema(PriceFileSchema, { io: 'input' }) as object;

export const priceListExample = {
  as_of: '2026-11-01',
  source: { title: 'Our contract', url: 'https://example.com/prices' },
  tiers: { ours: 'What we pay' },
  default_tier: 'ours',
  gpus: { h100: { ours: 2.1 }, mi300x: { ours: 1.8 } },
};

export const PriceListSchema = z
  .object({
    as_of: z.string().openapi({ description: 'Day of the list.' }),
    source: z.object({ title: z.string(), url: z.string() }),
    tiers: z.record(z.string(), z.string()).openapi({ description: 'Meaning of each tier, by name.' }),
    default_tier: z.string().openapi({ description: 'Used if a question names no tier.' }),
    gpus: z.record(z.string(), z.record(z.string(), z.number().nullable())).openapi({
      description: 'US dollars per GPU-hour, by GPU or family and by tier. Null or omitted if there is no price.',
    }),
    origin: z.enum(priceOrigins).openapi({
      description: 'built_in: it comes with this release. file: the operator configured it. admin: an admin set it.',
    }),
    set_at: z.string().nullable().openapi({ description: 'When an admin set it; null for other lists.' }),
  })
  .openapi('PriceList');
