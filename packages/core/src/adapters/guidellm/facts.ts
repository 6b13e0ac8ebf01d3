import type { Fact } from '../adapter.ts';
import { toPlainText } from '../plain-facts.ts';
import { toModelName } from '../reading/context/model-name.ts';
import type { JsonValue } from '../reading/documents/json.ts';
import { shiftDecimal } from '../reading/figures/numbers.ts';

/** The value if it is an object, else an empty object. */
/** A non-empty text as one plain line. */
export function textOf(value: JsonValue | undefined): string | null {
  return typeof value === 'string' && value !== '' ? toPlainText(value) : null;
}

/** A model that the result names; null for an alias such as "default". */
export function toModel(name: string | null): Fact<string> | null {
  const model = name === null ? null : toModelName(name);
  return model === null ? null : { value: model, origin: 'stated' };
}

/** Seconds since 1970 as RFC 3339 UTC. */
export function toInstant(value: JsonValue | undefined): string | null {
  const isTime = typeof value === 'number' && value > 1.5e9 && value < 4e9;
  return isTime ? new Date(Math.round(shiftDecimal(value, 3))).toISOString() : null;
}
