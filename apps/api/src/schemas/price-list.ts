import { z } from '@hono/zod-openapi';
import { PriceFileSchema } from '@inferboard/core/prices/price-list';
import { priceOrigins } from '../prices-in-use.ts';

/** The body that replaces the list. It is read by `parsePriceList`, which finds more than a schema can say. */
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
    tiers: z.record(z.string(), z.string()).openapi({ description: 'What each tier means, by its name.' }),
    default_tier: z.string().openapi({ description: 'Used where a question names no tier.' }),
    gpus: z.record(z.string(), z.record(z.string(), z.number().nullable())).openapi({
      description:
        'Dollars for one GPU and hour, by GPU or family and by tier. Null or left out where there is no price.',
    }),
    origin: z.enum(priceOrigins).openapi({
      description: 'built_in: it comes with this release. file: the operator configured it. admin: an admin set it.',
    }),
    set_at: z.string().nullable().openapi({ description: 'When an admin set it; null of any other list.' }),
  })
  .openapi('PriceList');
