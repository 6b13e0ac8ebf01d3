import { z } from '@hono/zod-openapi';
import { matchGpu } from '@inferboard/core/filters/filters';
import { isSameMatch, priceMax } from '@inferboard/core/prices/price-list';
import { parseStatedPrices, type StatedPrice, type StatedPriceFault } from '@inferboard/core/prices/stated-prices';

/** The GPU of a parameter such as `price[h100]`; null for any other parameter. */
export const gpuOfPrice = (parameter: string): string | null => /^price\[(.*)\]$/su.exec(parameter)?.[1] ?? null;

const notPrice = 'must be a price in dollars above 0, such as 2.10';

/** A price in a query. */
export const PriceText = z
  .string({ error: (issue) => (Array.isArray(issue.input) ? 'may be given only once' : undefined) })
  .regex(/^\d{1,6}(\.\d{1,20})?$/, notPrice)
  .transform(Number)
  .pipe(z.number().positive(notPrice).max(priceMax));

const listMax = 2000;

/** Lists each invalid part. */
const explain = (faults: readonly StatedPriceFault[]) =>
  `cannot be read: ${faults.map(({ part, message }) => `"${part.slice(0, 100)}" ${message}`).join('; ')}`;

/** Several prices in one parameter: `prices=h100=2.10,mi300x=1.80`. */
const PricesText = z
  .string({ error: (issue) => (Array.isArray(issue.input) ? 'may be given only once' : undefined) })
  .max(listMax, `must have at most ${listMax} characters`)
  .superRefine((text, context) => {
    const { faults } = parseStatedPrices(text);
    if (faults.length > 0) context.addIssue({ code: 'custom', message: explain(faults) });
  });

/** The prices in a query, from single parameters or from a list. */
export function statedIn(query: Record<string, string[]>): StatedPrice[] {
  const own = Object.entries(query).flatMap(([name, [text]]) => {
    const gpu = gpuOfPrice(name);
    return gpu === null ? [] : [{ gpu, usdPerHour: Number(text) }];
  });
  return [...own, ...parseStatedPrices(query.prices?.[0] ?? '').prices];
}

const priceShape = {
  price: z
    .never({ error: 'has no GPU. Use price[h100]=2.10' })
    .optional()
    .openapi({
      param: { style: 'deepObject', explode: true },
      type: 'object',
      additionalProperties: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: priceMax },
      example: { h100: 2.1 },
      description:
        'US dollars per GPU-hour, by GPU: `price[h100]=2.10`. Repeat it for other GPUs. If cost is ranked, it replaces the price of the list.',
    }),
  prices: PricesText.optional().openapi({
    description: 'The same for several GPUs in one parameter, separated by commas or semicolons.',
    example: 'h100=2.10, mi300x=1.80',
  }),
  price_tier: z
    .string()
    .max(40)
    .optional()
    .openapi({ description: 'Tier of the price list, if cost is ranked.', example: 'neocloud' }),
};

/** A query that accepts GPU prices, `price[<gpu>]`, in addition to its own parameters. Other names are rejected. */
export const withPrices = <S extends z.ZodRawShape>(shape: S) => {
  const known = new Set([...Object.keys(shape), ...Object.keys(priceShape)]);
  return z.looseObject({ ...shape, ...priceShape }).superRefine(
    (query, context) => {
      const others = Object.entries(query).filter(([name]) => !known.has(name));
      const keys = others.filter(([name]) => gpuOfPrice(name) === null).map(([name]) => name);
      if (keys.length > 0) context.addIssue({ code: 'unrecognized_keys', keys });
      for (const [name, value] of others) {
        if (gpuOfPrice(name) === null) continue;
        for (const { message } of PriceText.safeParse(value).error?.issues.slice(0, 1) ?? [])
          context.addIssue({ code: 'custom', path: [name], message });
      }
      // A price in `price[h100]` need not be repeated in `prices`.
      const several = typeof query.prices === 'string' ? parseStatedPrices(query.prices).prices : [];
      for (const [name] of others) {
        const gpu = gpuOfPrice(name);
        const twice = gpu === null ? [] : several.filter((one) => isSameMatch(matchGpu(one.gpu), matchGpu(gpu)));
        for (const one of twice)
          context.addIssue({ code: 'custom', path: [name], message: `is also in prices, as "${one.gpu}"` });
      }
    },
    // Report all errors at once, even if a known parameter is invalid.
    { when: () => true },
  );
};

const SourceSchema = z.object({ title: z.string(), url: z.string() });

/** The price behind the cost of an entry. */
export const PriceSchema = z
  .object({
    gpu: z.string().nullable().openapi({ description: 'GPU or family of the price; null for one price for all.' }),
    usd_per_hour: z.number().openapi({ description: 'US dollars per GPU-hour.' }),
    stated_by: z.enum(['list', 'reader']),
    tier: z
      .string()
      .nullable()
      .openapi({ description: 'Price tier. Tier, date and source are null for a price given in the query.' }),
    as_of: z.string().nullable().openapi({ description: 'Day of the list.' }),
    source: z.string().nullable().openapi({ description: 'URL of the source of the list.' }),
  })
  .openapi('GpuPrice');

/** The price list used for the costs in a response. */
export const PricesSchema = z
  .object({
    tier: z.string(),
    default_tier: z.string(),
    tiers: z.record(z.string(), z.string()).openapi({ description: 'Meaning of each tier of the list, by name.' }),
    as_of: z.string(),
    source: SourceSchema,
    gpus: z.array(PriceSchema).openapi({ description: 'Prices of the entries of this response, each once.' }),
  })
  .openapi('GpuPrices');

export const pricesDescription =
  'Prices of GPUs that costs are computed from: those in the query, else those of the list. Omitted if no cost is ranked, or if the question gives one price for all.';
