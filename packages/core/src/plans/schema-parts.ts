import { z } from 'zod';
import type { Fault } from '../errors.ts';

/** Maximum characters of a text with limits or lengths. */
export const limitsLengthMax = 500;

/** Replaces the schema's message with ours; distinguishes an invalid value from an absent one. */
export const say = (message: string) => ({
  error: ({ input }: { input?: unknown }) => (input === undefined ? 'is missing' : message),
});

export function whole(least: number, most: number) {
  const message = say(`must be a whole number from ${least} to ${most}`);
  // A number too large to be an integer of a double also exceeds the maximum: one fault is enough.
  return z
    .number(message)
    .int({ ...message, abort: true })
    .min(least, message)
    .max(most, message);
}

export function positive(most: number) {
  const message = say(`must be a number above 0 and at most ${most}`);
  return z.number(message).positive(message).max(most, message);
}

export type At = (place: string, code: string, message: string, hint: string) => void;

/** The context of a transformation: adds faults with their place. */
export function reportTo(context: z.RefinementCtx): At {
  return (place, code, message, hint) => {
    const fault: Fault = { code, message, ...(hint === '' ? {} : { hint }) };
    context.addIssue({ code: 'custom', message, path: place.split('/'), params: { fault } });
  };
}
