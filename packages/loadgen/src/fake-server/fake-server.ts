import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';
import { simulatedHeader } from '../wire/simulated.ts';
import { type AnswerLog, answerAtOnce, streamAnswer } from './answer.ts';
import { EventWriter, parseAsked } from './events.ts';
import { type FakeOptions, type FaultKind, usualOptions } from './options.ts';
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

const refusalHints = {
  temperature: 'Only the default is supported.',
  max_tokens: "Use 'max_completion_tokens' instead.",
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

/**
 * Starts a server on the loopback address that answers as an OpenAI-style engine would, with known timing and, where
 * the options say so, known faults. Every answer says in a header that it is simulated.
 *
 * @param test for our own tests of what becomes of real measurements: `isSilent` leaves that header away. No command has it.
 */
export async function startFakeServer(
  given: Partial<FakeOptions> = {},
  { isSilent = false }: { isSilent?: boolean } = {},
): Promise<FakeServer> {
  const options: FakeOptions = { ...usualOptions, ...given };
  const slots = new Slots(options.slots);
  const answers: AnswerLog[] = [];

  const faultOf = (number: number): FaultKind | null =>
    options.fault !== null && number % options.fault.every === 0 ? options.fault.kind : null;

  async function complete(req: IncomingMessage, res: ServerResponse, isChat: boolean): Promise<void> {
    const body = await readBody(req);
    if (body === null) return refuse(res, 413, 'the body is too large');
    if (
      (options.refuses === 'temperature' || options.refuses === 'max_tokens') &&
      body.includes(`"${options.refuses}"`)
    )
      return refuse(res, 400, `Unsupported parameter: '${options.refuses}'. ${refusalHints[options.refuses]}`);
    const asked = parseAsked(body, isChat, options);
    if (asked === null) return refuse(res, 400, 'the body is not a JSON object');
    const log: AnswerLog = { readMs: performance.now(), writtenMs: [] };
    const number = answers.push(log);
    const events = new EventWriter(asked, options, `fake-${number}`);
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

  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const path = new URL(req.url ?? '/', 'http://fake').pathname;
    if (req.method === 'GET' && path === options.proofPath && options.proofToken !== '') {
      res.writeHead(200, { 'content-type': 'text/plain' }).end(options.proofToken);
      return;
    }
    if (path === '/health') return sayJson(res, 200, { status: 'ok' });
    if (options.apiKey !== '' && req.headers.authorization !== `Bearer ${options.apiKey}`)
      return refuse(res, 401, 'the key is missing or wrong');
    if (req.method === 'GET' && path === '/v1/models')
      return sayJson(res, 200, { object: 'list', data: [{ id: options.model, object: 'model', owned_by: 'fake' }] });
    if (req.method === 'POST' && path === '/v1/chat/completions' && options.refuses !== 'chat')
      return complete(req, res, true);
    if (req.method === 'POST' && path === '/v1/completions') return complete(req, res, false);
    return refuse(res, 404, 'there is nothing here');
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
