import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { simulatedHeader } from '../wire/simulated.ts';
import { type AnswerLog, answerAtOnce, streamAnswer } from './answer.ts';
import { answerDocument, type DocumentApi, documentApis } from './documents.ts';
import { type Api, type Asked, EventWriter, parseAsked } from './events.ts';
import { type FakeOptions, type FaultKind, type RefusedField, usualOptions } from './options.ts';
import { ResponseEventWriter } from './response-events.ts';
import { Slots } from './slots.ts';

export interface FakeServer {
  port: number;
  /** One a completion request, in the order they were read. */
  answers: AnswerLog[];
  close(): Promise<void>;
}

const bodyBytesMax = 16 * 1024 * 1024;

function sayJson(res: ServerResponse, status: number, body: unknown): void {
  res.writeHead(status, { 'content-type': 'application/json' });
  res.end(JSON.stringify(body));
}

const refuse = (res: ServerResponse, status: number, message: string) =>
  sayJson(res, status, { error: { message, type: 'invalid_request_error', code: status } });

/** Fields that are refused, and what the refusal states. */
const refusals: Record<RefusedField, { fields: readonly string[]; message: string }> = {
  temperature: {
    fields: ['temperature'],
    message: "Unsupported parameter: 'temperature'. Only the default is supported.",
  },
  max_tokens: {
    fields: ['max_tokens'],
    message: "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
  },
  any_max_tokens: {
    fields: ['max_tokens', 'max_completion_tokens', 'max_output_tokens'],
    message: "Unsupported parameter: 'max_tokens'.",
  },
};

async function readBody(req: IncomingMessage): Promise<string | null> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of req) {
    bytes += piece.length;
    if (bytes > bodyBytesMax) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

/** The metrics by vLLM's names. The cache is as full as the slots, or as 64 of them without a limit. */
const metricsText = ({ taken, queued }: Slots, size: number) =>
  [
    `vllm:num_requests_running{engine="0"} ${taken}`,
    `vllm:num_requests_waiting{engine="0"} ${queued}`,
    `vllm:kv_cache_usage_perc{engine="0"} ${Math.min(1, taken / (size || 64))}`,
    'vllm:num_preemptions_total{engine="0"} 0\n',
  ].join('\n');

/** Why the context cannot hold a request, in the words of llama.cpp; null if it can. */
function contextFault({ promptTokens, tokens }: Asked, { contextTokens }: FakeOptions): string | null {
  const needed = promptTokens + tokens;
  if (contextTokens === 0 || needed <= contextTokens) return null;
  return `request (${needed} tokens) exceeds the available context size (${contextTokens} tokens), try increasing it`;
}

/**
 * Starts a server on the loopback address that answers as an OpenAI-style engine would, with known timing and, if
 * the options state them, known faults. A header of every response states that it is simulated.
 *
 * @param test for our tests, not in the command: `isSilent` omits that header, `keepsRequests` keeps every request in `answers`
 */
export async function startFakeServer(
  given: Partial<FakeOptions> = {},
  { isSilent = false, keepsRequests = false }: { isSilent?: boolean; keepsRequests?: boolean } = {},
): Promise<FakeServer> {
  const options: FakeOptions = { ...usualOptions, ...given };
  const slots = new Slots(options.slots);
  const answers: AnswerLog[] = [];

  const faultOf = (number: number): FaultKind | null =>
    options.fault !== null && number % options.fault.every === 0 ? options.fault.kind : null;

  async function complete(req: IncomingMessage, res: ServerResponse, api: Api): Promise<void> {
    const body = await readBody(req);
    if (body === null) return refuse(res, 413, 'the body is too large');
    const refused = options.refuses === 'nothing' || options.refuses === 'chat' ? null : refusals[options.refuses];
    if (refused?.fields.some((field) => body.includes(`"${field}"`))) return refuse(res, 400, refused.message);
    const asked = parseAsked(body, api, options);
    if (asked === null) return refuse(res, 400, 'the body is not a JSON object');
    const tooLong = contextFault(asked, options);
    if (tooLong !== null) return refuse(res, 400, tooLong);
    const log: AnswerLog = { readMs: performance.now(), writtenMs: [] };
    if (keepsRequests) log.request = { path: req.url ?? '', headers: req.headers, body };
    const number = answers.push(log);
    const Writer = api === 'responses' ? ResponseEventWriter : EventWriter;
    const events = new Writer(asked, options, `fake-${number}`);
    const parts = { asked, events, options, fault: faultOf(number), log, underWay: () => slots.taken };
    if (answerAtOnce(res, parts)) return;
    const gone = new AbortController();
    res.on('close', () => gone.abort());
    const turn = Promise.withResolvers<void>();
    const place = slots.take(turn.resolve);
    gone.signal.addEventListener('abort', () => turn.resolve());
    try {
      await turn.promise;
      await streamAnswer(res, parts, gone.signal);
    } finally {
      place.release();
    }
  }

  async function sayDocument(req: IncomingMessage, res: ServerResponse, api: DocumentApi): Promise<void> {
    const body = await readBody(req);
    if (body === null) return refuse(res, 413, 'the body is too large');
    const log: AnswerLog = { readMs: performance.now(), writtenMs: [] };
    if (keepsRequests) log.request = { path: req.url ?? '', headers: req.headers, body };
    const fault = faultOf(answers.push(log));
    if (fault === 'status_500') return refuse(res, 500, 'out of memory');
    const answer = answerDocument(api, body, fault === 'empty');
    if (answer === null) return refuse(res, 400, 'the body is not a JSON object');
    await sleep(options.ttftMs + (options.prefillMs * answer.tokens) / 1000);
    log.writtenMs.push(performance.now());
    if (fault === 'cut') {
      res.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 });
      res.write('{"data"', () => res.socket?.end());
    } else sayJson(res, 200, answer.document);
  }

  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const path = new URL(req.url ?? '/', 'http://fake').pathname;
    if (req.method === 'GET' && path === options.proofPath && options.proofToken !== '') {
      res.writeHead(200, { 'content-type': 'text/plain' }).end(options.proofToken);
      return;
    }
    if (path === '/health') return sayJson(res, 200, { status: 'ok' });
    if (req.method === 'GET' && path === '/metrics') {
      res.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' }).end(metricsText(slots, options.slots));
      return;
    }
    if (options.apiKey !== '' && req.headers.authorization !== `Bearer ${options.apiKey}`)
      return refuse(res, 401, 'the key is missing or wrong');
    if (req.method === 'GET' && path === '/v1/models')
      return sayJson(res, 200, { object: 'list', data: [{ id: options.model, object: 'model', owned_by: 'fake' }] });
    if (req.method === 'POST' && path === '/v1/chat/completions' && options.refuses !== 'chat')
      return complete(req, res, 'chat');
    if (req.method === 'POST' && path === '/v1/completions') return complete(req, res, 'completions');
    if (req.method === 'POST' && path === '/v1/responses') return complete(req, res, 'responses');
    const documentApi = documentApis.find((known) => known === path);
    if (req.method === 'POST' && documentApi !== undefined) return sayDocument(req, res, documentApi);
    return refuse(res, 404, 'not found');
  }

  const server = createServer({ noDelay: true, keepAliveTimeout: 60_000 }, (req, res) => {
    if (!isSilent) res.setHeader(simulatedHeader, 'true');
    handle(req, res).catch((error: Error) => res.destroy(error));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, '127.0.0.1', 1024, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    answers,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
