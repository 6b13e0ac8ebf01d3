import { DomainError, type ErrorCode, type Fault } from '@inferboard/core/errors';

/** An error in the form in which it is sent between threads, which would drop its class and codes. */
export type CarriedError =
  | { kind: 'refusal'; code: ErrorCode; message: string; faults: Fault[] }
  | { kind: 'failure'; message: string; stack: string | undefined; code: unknown; cause: CarriedError | null };

export function carryError(error: unknown): CarriedError {
  if (error instanceof DomainError) {
    return { kind: 'refusal', code: error.code, message: error.message, faults: error.faults };
  }
  if (!(error instanceof Error)) {
    return { kind: 'failure', message: String(error), stack: undefined, code: undefined, cause: null };
  }
  const code = 'code' in error ? String(error.code) : undefined;
  const cause = error.cause === undefined ? null : carryError(error.cause);
  return { kind: 'failure', message: error.message, stack: error.stack, code, cause };
}

/** Restores an error in the receiving thread, with the properties used there: class, message, `faults`, code and cause. */
export function restoreError(carried: CarriedError): Error {
  if (carried.kind === 'refusal') return new DomainError(carried.code, carried.message, carried.faults);
  const error = new Error(carried.message, carried.cause === null ? {} : { cause: restoreError(carried.cause) });
  if (carried.stack !== undefined) error.stack = carried.stack;
  return carried.code === undefined ? error : Object.assign(error, { code: carried.code });
}
