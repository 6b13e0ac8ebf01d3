import { costOf } from '../rate-limits.ts';
import { type AnswerHeader, answerHeaders, sends } from '../schemas/headers.ts';
import { exampleOfAnswer, exampleOfParameter } from './examples.ts';
import { share } from './share.ts';
import { type ApiDocument, isReference, listOperations, type Parameter, type Place } from './types.ts';
import { tellWire } from './wire.ts';

/** What the groups of operations are about, in the order of the reference. */
const tags: Record<string, string> = {
  Submissions: 'Output of benchmark tools: handing it in, reading it back, deciding about it.',
  Concerns: 'What readers find wrong with a submission: saying so, answering, deciding.',
  Results: 'Single measurements, as pages and as files.',
  Systems: 'What was measured: model, quantization, GPUs and engine, with every point.',
  Leaderboard: 'Ranked answers: boards, the best of something, frontiers and matrices.',
  Catalogue: 'What is known by name.',
  'Managed runs':
    'Model servers that are measured here, and by whom they are vouched for; the runs that measure them, once or by a schedule; and where word of it is sent.',
  Accounts: 'Accounts and their keys.',
  Operation: 'For those who run the service.',
};

const ifNoneMatch: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'ETag of an answer you have: 304 comes back while it is the same.',
  schema: { type: 'string' },
  example: answerHeaders.ETag.example,
};

/** Media types of answers that are held whole before they leave, and so have a tag. */
const tagged = /^(?:application\/(?:[\w.+-]+\+)?(?:json|xml)|text\/plain|image\/svg\+xml)(?:;|$)/;

/** Tags and 304, which come from the middleware and not from the routes. */
function tellTags({ method, operation }: Place): void {
  const found = operation.responses['200'];
  if (method !== 'get' || found === undefined || isReference(found)) return;
  if (!Object.keys(found.content ?? {}).some((type) => tagged.test(type))) return;
  found.headers = { ...sends('ETag'), ...found.headers };
  operation.responses['304'] ??= { description: 'You have it already.', headers: sends('ETag') };
  const given = operation.parameters ?? [];
  const isTold = given.some((parameter) => 'name' in parameter && parameter.name.toLowerCase() === 'if-none-match');
  operation.parameters = isTold ? given : [...given, ifNoneMatch];
}

const isCommon = (name: string): name is AnswerHeader => name in answerHeaders;

/** Headers of every answer, refusals included; and a route's own in the common words, where there are any. */
function tellHeaders({ path, operation }: Place): void {
  const limits = costOf(path) === null ? [] : (['RateLimit-Policy', 'RateLimit'] as const);
  for (const answer of Object.values(operation.responses)) {
    if (isReference(answer)) continue;
    const { headers = {} } = answer;
    answer.headers = {
      ...headers,
      ...sends('X-Request-Id', 'Cache-Control', ...limits, ...Object.keys(headers).filter(isCommon)),
    };
  }
}

/** The library says description and example of a parameter twice, or within its schema only. */
function tellParameters({ operation }: Place): void {
  for (const parameter of operation.parameters ?? []) {
    if (isReference(parameter) || parameter.schema === undefined) continue;
    const { description, example, ...schema } = parameter.schema;
    parameter.schema = schema;
    if (typeof description === 'string') parameter.description ??= description;
    parameter.example ??= example ?? exampleOfParameter(parameter.name, schema);
  }
}

function tellExamples({ operation }: Place): void {
  for (const [status, answer] of Object.entries(operation.responses)) {
    if (isReference(answer)) continue;
    for (const media of Object.values(answer.content ?? {})) {
      if (media.example === undefined && media.examples === undefined)
        media.example = exampleOfAnswer(operation.operationId, status);
    }
  }
}

/** Adds to the document of the routes what all of them have in common, and says once what several say alike. */
export function completeDocument<D extends object>(raw: D): D {
  // The library's type allows extensions and forms that it never writes.
  const document = raw as unknown as ApiDocument;
  const places = listOperations(document);
  for (const tell of [tellWire, tellTags, tellHeaders, tellParameters, tellExamples]) places.forEach(tell);
  document.tags = Object.entries(tags).map(([name, description]) => ({ name, description }));
  document.components.headers = { ...document.components.headers, ...answerHeaders };
  share(document);
  return raw;
}
