import { DomainError, type Fault } from '@inferboard/core/errors';
import { toPointer } from '@inferboard/core/text/json-pointer';
import { nearest } from '@inferboard/core/text/nearest';
import { inWords } from '@inferboard/core/text/schema-words';
import type { Scope } from '@inferboard/db/accounts/account';
import type { Context } from 'hono';
import type { z } from 'zod';
import type { AppContext } from '../deps.ts';
import { requirePrincipal, requireScope } from '../middleware/auth.ts';

interface Refusable {
  request?: object;
  /** As in the OpenAPI document; a requirement without a scheme makes the key optional. */
  security?: readonly { key?: readonly string[] }[];
}

interface Outcome {
  success: boolean;
  target: string;
  error?: z.ZodError | { issues: z.core.$ZodIssue[] };
}

/** Maximum number of errors in a response. */
export const faultsMax = 100;
/** Maximum number of unknown names to compare with the known ones. */
const hintsMax = 20;
/** Maximum number of known names in a hint. */
const listedMax = 24;

const shapeOf = (schema: unknown): string[] =>
  schema !== null && typeof schema === 'object' && 'shape' in schema ? Object.keys(schema.shape as object) : [];

type Place = (path: readonly PropertyKey[]) => Pick<Fault, 'parameter' | 'pointer'>;
const inQuery: Place = (path) => ({ parameter: path.map(String).join('/') });
const inBody: Place = (path) => ({ pointer: toPointer(path) });

/** Converts a schema issue to an error for the client. */
function toFault(issue: z.core.$ZodIssue, place: Place): Fault {
  // An error in any value of a list parameter is an error of the parameter.
  const parts = place === inQuery ? issue.path.slice(0, 1) : issue.path;
  const name = parts.map(String).join('/');
  if (issue.code === 'custom' && issue.params?.fault) return issue.params.fault as Fault;
  // A list parameter reports the error of its inner value; unions nest theirs.
  const inner = issue.code === 'invalid_union' ? (issue.errors.flat()[0] ?? issue) : issue;
  const isList =
    (inner.code === 'invalid_type' && Array.isArray(inner.input)) || / received array$/.test(inner.message);
  const isRepeated = isList && place === inQuery;
  const isMissing = /received undefined$/.test(inner.message);
  const message = isRepeated ? 'may be given only once' : isMissing ? 'is missing' : inWords(inner.message);
  const code = issue.code === 'custom' && typeof issue.params?.code === 'string' ? issue.params.code : 'value_invalid';
  return {
    code,
    ...place(parts),
    message: `${name || 'The body'} ${message}`,
  };
}

/** The closest known name, or else all of them if they are few. */
function hintFor(key: string, known: readonly string[]): Pick<Fault, 'hint'> {
  const meant = nearest(key, known);
  if (meant !== null) return { hint: `Did you mean "${meant}"?` };
  return known.length === 0 || known.length > listedMax ? {} : { hint: `Known names: ${known.join(', ')}.` };
}

/** Converts schema issues to errors; unknown names come with the closest known one. */
export function toFaults(issues: readonly z.core.$ZodIssue[], known: readonly string[], isBody: boolean): Fault[] {
  const place = isBody ? inBody : inQuery;
  const faults: Fault[] = [];
  for (const issue of issues) {
    if (issue.code !== 'unrecognized_keys') {
      faults.push(toFault(issue, place));
      continue;
    }
    for (const [index, key] of issue.keys.slice(0, faultsMax).entries()) {
      // The known names are those of the top level. For nested properties a suggestion would mislead.
      const hint = index < hintsMax && issue.path.length === 0 ? hintFor(key, known) : {};
      const code = isBody ? 'field_unknown' : 'parameter_unknown';
      const message = `Unknown ${isBody ? 'field' : 'parameter'} "${key.slice(0, 100)}".`;
      faults.push({
        code,
        ...place([...(isBody ? issue.path : []), key.slice(0, 100)]),
        message,
        ...hint,
      });
    }
  }
  // A value may fail one schema in several ways; only the first is reported.
  const byPlace = new Map(
    faults.toReversed().map((fault) => [fault.parameter ?? fault.pointer ?? fault.message, fault]),
  );
  return [...byPlace.values()].toReversed().slice(0, faultsMax);
}

/** The detail for a path that no resource can have. Names the known values of a part with a closed list. */
function notFoundText(issues: readonly z.core.$ZodIssue[]): string {
  const listed = issues.find((issue) => issue.code === 'invalid_value');
  const known = listed === undefined ? '' : ` {${listed.path.join('/')}} must be one of ${listed.values.join(', ')}.`;
  return `There is no resource at this URL.${known}`;
}

/**
 * Converts the issues of a route's schema to one error that lists all of them, with the closest known parameter for unknown ones.
 * `others` adds errors that no schema can detect, such as values never submitted.
 */
export function refuse<C extends Context<AppContext>>(
  route: Refusable,
  others: (c: C) => Promise<Fault[]> = async () => [],
): (outcome: Outcome, c: C) => Promise<never> | undefined {
  const { request = {}, security = [] } = route;
  const queryNames = 'query' in request ? shapeOf(request.query) : [];
  const throwFaults = async (own: Fault[], c: C): Promise<never> => {
    const faults = new Map(
      [...own, ...(await others(c))].map((fault) => [`${fault.parameter} ${fault.message}`, fault]),
    );
    throw new DomainError('request_invalid', 'The query is not valid.', [...faults.values()].slice(0, faultsMax));
  };
  const [required] = security.every(({ key }) => key !== undefined) ? security : [];
  return ({ success, target, error }, c) => {
    if (success || error === undefined) return undefined;
    // Faults of a request are not described to a client without the required key.
    if (required !== undefined) requirePrincipal(c);
    for (const scope of required?.key ?? []) requireScope(c, scope as Scope); // the document lists no others
    if (target === 'param') throw new DomainError('not_found', notFoundText(error.issues));
    return throwFaults(toFaults(error.issues, queryNames, false), c);
  };
}
