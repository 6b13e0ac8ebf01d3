import { createRoute, z } from '@hono/zod-openapi';
import { DomainError } from '@inferboard/core/errors';
import { isEnded } from '@inferboard/core/plans/run-state';
import { findRunSnapshot } from '@inferboard/db/runs/run-find';
import { streamSSE } from 'hono/streaming';
import type { Deps } from '../deps.ts';
import { isId } from '../http/is-id.ts';
import { refuse } from '../http/refuse.ts';
import { createRouter } from '../http/router.ts';
import { addressOf } from '../middleware/limit-rate.ts';
import { missing, problem, readProblems, refusal } from '../schemas/common.ts';
import { idParam, runNotFound } from './runs-routes.ts';
import { type StreamOptions, streamRun } from './stream-run.ts';

/** Maximum number of open streams per process. */
export const streamsMax = 200;
/** Maximum number of open streams per address, so that one visitor cannot use all of them. */
export const streamsOfAddressMax = 8;

const eventExample = `retry: 2000

event: state
data: {"state":"pending","at":"2026-01-15T09:30:00.000Z"}
id: 1

event: progress
data: {"points_done":0,"points_total":24,"requests_done":12,"requests_total":384,"eta_s":310}

event: live
data: {"at":"2026-01-15T09:30:40.000Z","point":"chatbot/concurrency:1/1","title":"chatbot, 1 concurrent","requests":{"done":12,"total":16},"in_flight":1,"req_s":0.4,"output_tok_s":81.2,"ttft_ms":{"n":12,"p50":41.3,"p90":null,"p95":null,"p99":null},"itl_ms":{"n":2388,"p50":12.1,"p90":12.6,"p95":12.9,"p99":14.2},"e2e_ms":{"n":12,"p50":2450,"p90":null,"p95":null,"p99":null},"errors":{},"server":{"running":1,"waiting":0,"kv_cache_share":0.02,"preemptions":0}}

event: point
data: {"ordinal":0,"key":"chatbot/concurrency:1/1","at":"2026-01-15T09:31:00.000Z"}
id: 4

event: end
data: {"state":"processed","failure":null,"at":"2026-01-15T09:40:00.000Z"}
id: 40

`;

const tooManyStreams = () =>
  new DomainError(
    'streams_too_many',
    `${streamsMax} streams are open, which is the maximum. Read the run with GET /v1/runs/{id}, or try again later.`,
  );

const retryAfterS = 5;

const tooManyOfAddress = () =>
  new DomainError(
    'rate_limited',
    `${streamsOfAddressMax} streams from your IP address are open, which is the maximum. Close one, read the run with GET /v1/runs/{id}, or try again in ${retryAfterS} s.`,
    [],
    retryAfterS,
  );

/** Counts open streams, in total and per address. */
class OpenStreams {
  #all = 0;
  readonly #ofAddress = new Map<string, number>();

  /** @throws DomainError `streams_too_many`, `rate_limited` */
  open(address: string): void {
    const own = this.#ofAddress.get(address) ?? 0;
    if (own >= streamsOfAddressMax) throw tooManyOfAddress();
    if (this.#all >= streamsMax) throw tooManyStreams();
    this.#all += 1;
    this.#ofAddress.set(address, own + 1);
  }

  close(address: string): void {
    const own = (this.#ofAddress.get(address) ?? 0) - 1;
    this.#all -= 1;
    if (own > 0) this.#ofAddress.set(address, own);
    else this.#ofAddress.delete(address);
  }
}

const eventIdInvalid = (events: number | null) => {
  const reason = events === null ? 'must be the id of an event' : `is greater than the ${events} events of the run`;
  const message = `Last-Event-ID ${reason}.`;
  const hint = 'Send the last id of the stream, or omit the header to start at the first event.';
  return new DomainError('event_id_invalid', message, [
    { code: 'event_id_invalid', parameter: 'Last-Event-ID', message, hint },
  ]);
};

const getRunEvents = createRoute({
  method: 'get',
  path: '/v1/runs/{id}/events',
  operationId: 'watchRun',
  tags: ['Managed runs'],
  summary: 'Stream the events of a run',
  description:
    'Server-sent events, public for clients that know the id: `state` for each change, `point` with the figures of each finished point, ' +
    '`progress` in between, `live` every two seconds with the figures of the current point, and `end` as the last. Events with an id arrive in order ' +
    'and none is lost: a client that reconnects continues after `Last-Event-ID`. `progress` and `live` have no id and have the current state. A comment is sent at least every 15 seconds. ' +
    `An IP address has at most ${streamsOfAddressMax} open streams. ` +
    'If events cannot be received, poll `GET /v1/runs/{id}`.',
  request: {
    params: idParam,
    query: z.strictObject({}),
    headers: z.object({
      'last-event-id': z.string().optional().openapi({
        description: 'Id of the last event that was received. Browsers send it automatically.',
        example: '4',
      }),
    }),
  },
  responses: {
    200: {
      description: 'The events until the end of the run.',
      content: { 'text/event-stream': { schema: { type: 'string' }, example: eventExample } },
    },
    204: { description: 'The run has ended and there are no later events. Browsers do not reconnect.' },
    ...readProblems,
    400: problem('A key in the query, or an invalid `Last-Event-ID`.', [
      refusal('key_in_query', 'Send the key in the header "Authorization: Bearer ...", never in the URL.'),
      refusal('event_id_invalid', 'Last-Event-ID must be the id of an event.'),
    ]),
    429: problem(
      `Too many requests, or ${streamsOfAddressMax} streams from the IP address are open. Retry after the time in Retry-After.`,
      [refusal('rate_limited', tooManyOfAddress().message)],
      'Retry-After',
      'RateLimit',
      'RateLimit-Policy',
    ),
    503: problem(
      'Too many open streams, or the database is unavailable. Try again.',
      [
        refusal('database_unavailable', 'The database is unavailable. Try again in a few seconds.'),
        refusal('streams_too_many', tooManyStreams().message),
      ],
      'Retry-After',
    ),
    ...missing,
  },
});

/** @throws DomainError `event_id_invalid` */
function readLastEventId(header: string | undefined): number {
  if (header === undefined) return 0;
  if (!/^\d{1,9}$/.test(header)) throw eventIdInvalid(null);
  return Number(header);
}

export function runEventRoutes(deps: Deps, options: Partial<StreamOptions> = {}) {
  const streams = new OpenStreams();
  return createRouter().openapi(
    getRunEvents,
    async (c) => {
      const { id } = c.req.valid('param');
      const after = readLastEventId(c.req.header('last-event-id'));
      const snapshot = isId('run', id) ? await findRunSnapshot(deps.database.db, id, 0, 0) : null;
      if (snapshot === null) throw runNotFound();
      if (after > snapshot.eventsTotal) throw eventIdInvalid(snapshot.eventsTotal);
      if (isEnded(snapshot.state) && after === snapshot.eventsTotal) return c.body(null, 204);
      const address = addressOf(deps, c);
      streams.open(address);
      deps.metrics.eventStreams.inc();
      const { body } = streamSSE(c, async (stream) => {
        try {
          await streamRun(deps, stream, id, after, options);
        } finally {
          streams.close(address);
          deps.metrics.eventStreams.dec();
        }
      });
      // The server chooses the transfer encoding.
      c.header('Transfer-Encoding', undefined);
      // Shutdown waits for connections, and this one cannot be reused after the stream.
      c.header('Connection', 'close');
      c.header('Cache-Control', 'no-store, no-transform');
      // A buffering proxy would hold the events until the run ends.
      c.header('X-Accel-Buffering', 'no');
      return c.newResponse(body) as never;
    },
    refuse(getRunEvents),
  );
}
