import type { Fact } from '../adapter.ts';
import { toPlainText } from '../plain-facts.ts';
import type { JsonValue } from '../reading/json.ts';
import { isObject, type JsonObject } from '../reading/json-records.ts';
import { toModelName } from '../reading/model-name.ts';
import { shiftDecimal } from '../reading/numbers.ts';

/** The object that a value is, or an empty one. */
export const inside = (value: JsonValue | undefined): JsonObject => (isObject(value) ? value : {});

/** A text that says something, as one plain line. */
export function textOf(value: JsonValue | undefined): string | null {
  return typeof value === 'string' && value !== '' ? toPlainText(value) : null;
}

/** A model that the result itself names; null for an alias such as "default". */
export function toModel(name: string | null): Fact<string> | null {
  const model = name === null ? null : toModelName(name);
  return model === null ? null : { value: model, origin: 'stated' };
}

/** Seconds since 1970 as RFC 3339 UTC. */
export function toInstant(value: JsonValue | undefined): string | null {
  const isTime = typeof value === 'number' && value > 1.5e9 && value < 4e9;
  return isTime ? new Date(Math.round(shiftDecimal(value, 3))).toISOString() : null;
}
