import type { Broken } from './breaks.ts';
import type { Answer, Operation } from './document.ts';
import type { Call, Seen } from './http.ts';
import type { Schemas } from './schemas.ts';

/** Patterns that no response can contain: source code, SQL and paths of the service. */
const inside =
  /node_modules|\bat (?:async )?[\w.<>]+ \(|file:\/\/\/|Failed query|\bselect [^"]+ from\b|PostgresError|ZodError|\/(?:work|home|usr)\/\w/;

interface Item {
  code: string;
  message: string;
  pointer?: string;
  parameter?: string;
  line?: number;
}
interface Problem {
  status: number;
  code: string;
  request_id: string | null;
  errors?: Item[];
}

/** Errors of a whole body, which have no pointer. */
const ofTheWhole = new Set([
  'body_too_large',
  'json_malformed',
  'form_malformed',
  'form_too_long',
  'body_empty',
  'tool_unrecognised',
  'tool_not_found',
  'artifact_unreadable',
  'artifact_empty',
  'packing_broken',
  'request_malformed',
]);

/**
 * Errors that a valid request can cause because of the service's data: unknown names, facts that contradict the artifact, objects
 * of another account, or objects with a decision.
 */
const ofTheMatter = new Set([
  'value_unknown',
  'bounds_contradict',
  'facts_missing',
  'facts_contradict',
  'tool_unrecognised',
  'artifact_unreadable',
  'query_not_understood',
  'scope_missing',
  'not_yours',
  'idempotency_key_reused',
  'request_running',
  'submission_already_retracted',
  'already_submitted',
  'nothing_to_review',
  'concern_already_open',
  'concern_already_decided',
  'artifact_reads_differently',
  'entry_conflicts',
  'entry_in_use',
  'keys_too_many',
  'signing_keys_too_many',
  'signing_key_revoked',
  'signature_invalid',
  'account_name_taken',
  'not_found',
  'rate_limited',
  'tool_unknown',
  'definition_unknown',
  'definition_unranked',
  'parameter_repeated',
  'fact_repeated',
  'matrix_too_large',
  'endpoints_too_many',
  'endpoint_name_taken',
  'endpoint_unproven',
  'endpoint_unknown',
  'runs_too_many',
  'schedules_too_many',
  'webhooks_too_many',
  'event_id_invalid',
  // Constraints on a run plan beyond its schema.
  'plan_empty',
  'plan_inconsistent',
  'limits_unreadable',
  'until_unreadable',
  'item_repeated',
  'requests_unfit',
  'scenario_unknown',
  'scenario_contradicted',
  'scenario_not_runnable',
  'cron_invalid',
  'cron_never',
  'cron_too_frequent',
  'time_zone_unknown',
  // Forbidden target addresses, which a schema cannot express.
  'url_invalid',
  'query_present',
  'origin_differs',
  'fragment_present',
  'host_invalid',
  'host_single_label',
  'host_reserved',
  'host_metadata',
  'port_not_allowed',
  'scheme_not_allowed',
  'address_not_allowed',
  'metrics_of_two_kinds',
  'not_quarantined',
  'name_known',
  'name_refused',
  'names_differ',
  'count_in_name',
  'parameter_unused',
  'metric_neutral',
  'parameter_missing',
]);

const mediaType = (text: string) => text.split(';')[0]?.trim().toLowerCase() ?? '';

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Headers that a status has in every response. */
const headersOf: Record<number, string> = {
  401: 'www-authenticate',
  405: 'allow',
  429: 'retry-after',
  503: 'retry-after',
};

/** Headers that are in only some responses of a status. All other documented headers are required. */
const sometimes = new Set([
  'idempotency-replayed',
  'link',
  'ratelimit',
  'ratelimit-policy',
  'content-digest',
  'inferboard-excluded',
]);

function judgeHeaders(schemas: Schemas, { headers: documented = {} }: Answer, { headers }: Seen): string[] {
  return Object.entries(documented).flatMap(([name, { schema = {} }]) => {
    const value = headers[name.toLowerCase()];
    if (value === undefined)
      return sometimes.has(name.toLowerCase()) ? [] : [`the header ${name} is documented and not there`];
    const fault = schemas.faultOf(schema, schema.type === 'integer' ? Number(value) : value);
    return fault === null ? [] : [`the header ${name} is off its schema: ${fault}`];
  });
}

/** With `format=text`, errors are plain text too. */
const isInWords = (call: Call, { headers }: Seen) =>
  mediaType(headers['content-type'] ?? '') === 'text/plain' &&
  call.query.some(([name, value]) => name === 'format' && value === 'text');

function judgeProblem(schemas: Schemas, seen: Seen, text: string): string[] {
  if (mediaType(seen.headers['content-type'] ?? '') !== 'application/problem+json')
    return ['the refusal is no problem document'];
  const body = parse(text);
  const fault = schemas.faultOf({ $ref: '#/components/schemas/Problem' }, body);
  if (fault !== null) return [`the problem document is off its schema: ${fault}`];
  const { status, errors = [] } = body as Problem;
  const found: string[] = [];
  if (status !== seen.status) found.push(`the document says ${status}`);
  if ((seen.status === 400 || seen.status === 422) && errors.length === 0) found.push('names no fault');
  if (errors.length > 100) found.push(`${errors.length} faults help nobody`);
  for (const item of errors) {
    const hasPlace = item.pointer !== undefined || item.parameter !== undefined || item.line !== undefined;
    if (!hasPlace && !ofTheWhole.has(item.code)) found.push(`the fault ${item.code} names no place`);
    if (/expected string, received|Invalid option: expected one of|received undefined|Invalid input/.test(item.message))
      found.push(`a library's words: ${item.message}`);
  }
  return found;
}

/** Errors of requests that did not reach an operation, which operations need not document. With HEAD, only the status shows. */
const ofTheWire = /"code":"(?:request_malformed|address_unreadable|head_too_large|request_slow|expectation_unknown)"/;

/** Errors that apply to every response; `operation` is null for methods that are not in the document. */
export function judge(schemas: Schemas, operation: Operation | null, call: Call, seen: Seen): string[] {
  const { status, headers } = seen;
  const text = seen.body.toString('utf8');
  const type = mediaType(headers['content-type'] ?? '');
  const found: string[] = [];
  if (status >= 500) found.push(`a ${status}`);
  if (type !== 'application/octet-stream' && inside.test(text))
    found.push(`shows our inside: ${inside.exec(text)?.[0]}`);
  const needed = headersOf[status];
  if (needed !== undefined && headers[needed] === undefined) found.push(`a ${status} without ${needed}`);
  const isOfTheWire = status === 417 || ofTheWire.test(text);
  if (call.method === 'HEAD') {
    if (seen.body.length > 0) found.push('HEAD with a body');
  } else if (status >= 400 && isInWords(call, seen)) {
    if (!text.startsWith('Error: ')) found.push('the error as text does not begin with "Error"');
  } else if (status >= 400) {
    found.push(...judgeProblem(schemas, seen, text));
  }
  if (operation === null || (status >= 400 && isOfTheWire)) return found;

  const answer = operation.responses[status];
  if (answer === undefined) return [...found, `the status ${status} is not documented`];
  found.push(...judgeHeaders(schemas, answer, seen));
  const documented = Object.keys(answer.content ?? {});
  if (documented.length === 0) {
    if (seen.body.length > 0) found.push(`a body where none is documented`);
    return found;
  }
  const media = documented.find((one) => mediaType(one) === type);
  if (media === undefined)
    return [...found, `the media type ${type || 'none'} is not documented, ${documented.join(', ')} is`];
  if (call.method === 'HEAD' || !/^application\/(?:\w+\+)?json$/.test(type)) return found;
  const body = parse(text);
  if (body === undefined) return [...found, 'the body is no JSON'];
  // Entries of a sparse response can omit required fields.
  if (call.query.some(([name]) => name === 'fields')) return found;
  const fault = schemas.faultOf(answer.content?.[media]?.schema ?? {}, body);
  return fault === null ? found : [...found, `the body is off its schema: ${fault}`];
}

/** Why an error response to a valid request is wrong. */
export function judgeValid(call: Call, seen: Seen): string[] {
  if (seen.status < 400) return [];
  // Plain text has no error codes to check.
  if (call.method === 'HEAD' || isInWords(call, seen)) return [];
  const problem = parse(seen.body.toString('utf8')) as Problem | undefined;
  const codes = [problem?.code ?? '', ...(problem?.errors ?? []).map(({ code }) => code)];
  const isAllowed =
    ofTheMatter.has(codes[0] ?? '') || (codes.length > 1 && codes.slice(1).every((code) => ofTheMatter.has(code)));
  return isAllowed
    ? []
    : [`fits the document and is refused: ${seen.status} ${seen.body.toString('utf8').slice(0, 400)}`];
}

/** Why the response to an intentionally invalid request is wrong. */
export function judgeBroken({ call, statuses, named }: Broken, seen: Seen): string[] {
  if (statuses === null) return [];
  // The rate limit applies before validation.
  if (seen.status === 429) return [];
  if (!statuses.includes(seen.status)) return [`should be ${statuses.join(' or ')} and is ${seen.status}`];
  if (call.method === 'HEAD' || named.length === 0) return [];
  if (isInWords(call, seen)) {
    const words = seen.body.toString('utf8');
    return named.filter((name) => !words.includes(name)).map((name) => `does not name ${name} in words`);
  }
  const problem = parse(seen.body.toString('utf8')) as Problem | undefined;
  const places = (problem?.errors ?? [])
    .flatMap(({ parameter, pointer }) => [parameter, pointer])
    .filter((place) => place !== undefined);
  const isNamed = (name: string) =>
    places.some((place) => place === name || (name.startsWith('/') && place.startsWith(`${name}/`)));
  return named
    .filter((name) => !isNamed(name))
    .map((name) => `does not name ${name}, but ${places.join(', ') || 'nothing'}`);
}
