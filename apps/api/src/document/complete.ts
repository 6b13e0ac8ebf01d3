import { costOf } from '../http/rate-limits.ts';
import { type AnswerHeader, answerHeaders, sends } from '../schemas/headers.ts';
import { exampleOfAnswer, exampleOfParameter } from './examples.ts';
import { dropUnusedHeaders, share } from './share.ts';
import { completeTuples } from './tuples.ts';
import { type ApiDocument, isReference, listOperations, type Parameter, type Place } from './types.ts';
import { describeWire } from './wire.ts';

/** Descriptions of the groups of operations, in the order of the reference. */
const tags: Record<string, string> = {
  Submissions: 'Upload the output of benchmark tools, read submissions, review and retract them.',
  Concerns: 'Report problems with a submission, answer reports, decide on them.',
  Results: 'Single measurements, as paginated lists and as files.',
  Systems: 'Measured systems: model, quantization, GPUs and engine, with all points.',
  Leaderboard: 'Rankings: boards, best systems, frontiers and matrices.',
  Catalogue: 'Known models, GPUs, quantizations, engines, scenarios, workloads, metrics and tools.',
  'Managed runs': 'Register and verify endpoints, run and schedule measurements, manage webhooks.',
  Accounts: 'Accounts and their keys.',
  Operation: 'Health probes and other endpoints for operators.',
};

const ifNoneMatch: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'ETag of a previous response. If the resource has not changed, the response is 304.',
  schema: { type: 'string' },
  example: answerHeaders.ETag.example,
};

/** Media types of responses that are complete in memory before they are sent, and so have an ETag. */
const tagged = /^(?:application\/(?:[\w.+-]+\+)?(?:json|xml)|text\/plain|image\/svg\+xml)(?:;|$)/;

/** ETags and 304 responses, which the middleware adds. */
function describeTags({ method, operation }: Place): void {
  const found = operation.responses['200'];
  if (method !== 'get' || found === undefined || isReference(found)) return;
  if (!Object.keys(found.content ?? {}).some((type) => tagged.test(type))) return;
  found.headers = { ...sends('ETag'), ...found.headers };
  operation.responses['304'] ??= { description: 'Not modified.', headers: sends('ETag') };
  const given = operation.parameters ?? [];
  const isDescribed = given.some(
    (parameter) => 'name' in parameter && parameter.name.toLowerCase() === 'if-none-match',
  );
  operation.parameters = isDescribed ? given : [...given, ifNoneMatch];
}

const isCommon = (name: string): name is AnswerHeader => name in answerHeaders;

/** Headers of every response, including errors. A route's headers get the common descriptions where they exist. */
function describeHeaders({ path, operation }: Place): void {
  const limits = costOf(path) === null ? [] : (['RateLimit-Policy', 'RateLimit'] as const);
  const links = path.startsWith('/v1/') ? (['Link'] as const) : [];
  const ends = operation.deprecated === true ? (['Deprecation', 'Sunset'] as const) : [];
  for (const answer of Object.values(operation.responses)) {
    if (isReference(answer)) continue;
    const { headers = {} } = answer;
    answer.headers = {
      ...headers,
      ...sends('X-Request-Id', 'Cache-Control', ...limits, ...links, ...ends, ...Object.keys(headers).filter(isCommon)),
    };
  }
}

/** `If-None-Match`: header names are equal in any case, but clients generate a type for each spelling. */
const headerName = (name: string) => name.replace(/(?<=^|-)[a-z]/g, (letter) => letter.toUpperCase());

/** The library writes description and example of a parameter twice, or only in its schema. */
function describeParameters({ operation }: Place): void {
  for (const parameter of operation.parameters ?? []) {
    if (isReference(parameter) || parameter.schema === undefined) continue;
    const { description, example, ...schema } = parameter.schema;
    parameter.schema = schema;
    if (typeof description === 'string') parameter.description ??= description;
    parameter.example ??= example ?? exampleOfParameter(parameter.name, schema);
    if (parameter.in === 'header') parameter.name = headerName(parameter.name);
  }
}

function describeExamples({ operation }: Place): void {
  for (const [status, answer] of Object.entries(operation.responses)) {
    if (isReference(answer)) continue;
    for (const media of Object.values(answer.content ?? {})) {
      if (media.example === undefined && media.examples === undefined)
        media.example = exampleOfAnswer(operation.operationId, status);
    }
  }
}

/** Adds to the document what all routes have in common, and moves repeated parts to `components`. */
export function completeDocument<D extends object>(raw: D): D {
  // The library's type allows extensions that it never writes.
  const document = raw as unknown as ApiDocument;
  const places = listOperations(document);
  for (const describePart of [describeWire, describeTags, describeHeaders, describeParameters, describeExamples])
    places.forEach(describePart);
  document.tags = Object.entries(tags).map(([name, description]) => ({ name, description }));
  document.components.headers = { ...document.components.headers, ...answerHeaders };
  completeTuples([document.components, document.paths]);
  share(document);
  dropUnusedHeaders(document);
  return raw;
}
