import { DomainError, type Fault } from '@inferboard/core/errors';
import { nearest } from '@inferboard/core/nearest';
import type { z } from 'zod';

interface Refusable {
  request?: object;
}

interface Outcome {
  success: boolean;
  target: string;
  error?: z.ZodError | { issues: z.core.$ZodIssue[] };
}

const shapeOf = (schema: unknown): string[] =>
  schema !== null && typeof schema === 'object' && 'shape' in schema ? Object.keys(schema.shape as object) : [];

function unknownName(target: string, name: string, known: readonly string[]): Fault {
  const meant = nearest(name, known);
  const what = target === 'query' ? 'query parameter' : 'field';
  const place = target === 'query' ? { parameter: name } : { pointer: `/${name}` };
  return {
    code: target === 'query' ? 'parameter_unknown' : 'field_unknown',
    ...place,
    message: `"${name}" is not a ${what} here.`,
    ...(meant === null ? {} : { hint: `Did you mean "${meant}"?` }),
  };
}

function toFaults(target: string, issue: z.core.$ZodIssue, known: readonly string[]): Fault[] {
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownName(target, key, known));
  const name = String(issue.path[0] ?? '');
  // A list parameter reports the fault of its inner value; unions nest theirs.
  const inner = issue.code === 'invalid_union' ? issue.errors.flat()[0] : undefined;
  const message = `${name || 'The body'} ${inner?.message ?? issue.message}`;
  if (target === 'query') return [{ code: 'parameter_invalid', parameter: name, message }];
  return [{ code: 'field_invalid', pointer: `/${issue.path.map(String).join('/')}`, message }];
}

/** Turns what a route's schema refuses into one error with every fault, naming the nearest known parameter. */
export function refuse(route: Refusable, bodyFields: readonly string[] = []): (outcome: Outcome) => undefined {
  const { request = {} } = route;
  const queryNames = 'query' in request ? shapeOf(request.query) : [];
  return ({ success, target, error }) => {
    if (success || error === undefined) return undefined;
    const known = target === 'query' ? queryNames : bodyFields;
    const faults = error.issues.flatMap((issue) => toFaults(target, issue, known));
    throw new DomainError('request_invalid', `The ${target === 'query' ? 'query' : 'body'} is not valid.`, faults);
  };
}
