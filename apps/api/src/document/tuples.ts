type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;

/**
 * Writes each tuple as an array of a fixed length. The library writes only `prefixItems`, which allows shorter and longer arrays,
 * and which linters and client generators of older versions do not read.
 *
 * @throws Error if the items of a tuple have different schemas
 */
export function completeTuples(value: unknown): void {
  if (Array.isArray(value)) value.forEach(completeTuples);
  if (!isObject(value)) return;
  const { prefixItems } = value;
  if (Array.isArray(prefixItems)) {
    if (new Set(prefixItems.map((item) => JSON.stringify(item))).size > 1)
      throw new Error('Use an object instead of a tuple whose items have different schemas.');
    Reflect.deleteProperty(value, 'prefixItems');
    Object.assign(value, { items: prefixItems[0], minItems: prefixItems.length, maxItems: prefixItems.length });
  }
  Object.values(value).forEach(completeTuples);
}
