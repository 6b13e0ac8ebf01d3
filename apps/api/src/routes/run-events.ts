import { createRoute, z } from '@hono/zod-openapi';
import { DomainError } from '@inferboard/core/errors';
import { isEnded } from '@inferboard/core/plans/run-state';
import { findMoment } from '@inferboard/db/queries/run-find';
import { streamSSE } from 'hono/streaming';
import { type TellOptions, tellRun } from '../actions/tell-run.ts';
import type { Deps } from '../deps.ts';
import { isId } from '../is-id.ts';
import { addressOf } from '../middleware/limit-rate.ts';
import { refuse } from '../refuse.ts';
import { createRouter } from '../router.ts';
import { missing, problem, readProblems, refusal } from '../schemas/common.ts';
import { idParam, runNotFound } from './runs.ts';

/** Streams that one process keeps open. */
export const streamsMax = 200;
/** Of these, streams of one address: no visitor takes all of them. */
export const streamsOfAddressMax = 8;

const eventExample = `retry: 2000

event: state
data: {"state":"pending","at":"2026-01-15T09:30:00.000Z"}
id: 1

event: progress
data: {"points_done":0,"points_total":24,"requests_done":12,"requests_total":384,"eta_s":310}

event: point
data: {"ordinal":0,"key":"chatbot/concurrency:1/1","at":"2026-01-15T09:31:00.000Z"}
id: 4

event: end
data: {"state":"processed","failure":null,"at":"2026-01-15T09:40:00.000Z"}
id: 40

`;

const tooManyStreams = () =>
  new DomainError('streams_too_many', `${streamsMax} streams are open here: read the run itself, or try again later.`);

const retryAfterS = 5;

const tooManyOfAddress = () =>
  new DomainError(
    'rate_limited',
    `${streamsOfAddressMax} streams of your address are open, as many as one may have: close one, read the run itself, or try again in ${retryAfterS} s.`,
    [],
    retryAfterS,
  );

/** Counts open streams, all of them and those of each address. */
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
  const told = events === null ? 'must be the id of an event' : `is beyond the ${events} events that the run has had`;
  const message = `Last-Event-ID ${told}.`;
  const hint = 'Send back the last id that the stream told, or leave the header away to begin at the start.';
  return new DomainError('event_id_invalid', message, [
    { code: 'event_id_invalid', parameter: 'Last-Event-ID', message, hint },
  ]);
};

const getRunEvents = createRoute({
  method: 'get',
  path: '/v1/runs/{id}/events',
  operationId: 'watchRun',
  tags: ['Managed runs'],
  summary: 'A run as it goes on',
  description:
    'Server-sent events, for everybody who has the address: `state` with each change, `point` with the figures of each finished point, ' +
    '`progress` in between, `end` as the last. Those that have an id come in their order, none is left out, and who was cut off goes on after ' +
    '`Last-Event-ID`; `progress` has none and tells what is so now. A comment comes at least every 15 seconds. ' +
    `An address has at most ${streamsOfAddressMax} streams open. ` +
    'Where events do not pass, `GET /v1/runs/{id}` tells the same to those who ask again and again.',
  request: {
    params: idParam,
    query: z.strictObject({}),
    headers: z.object({
      'last-event-id': z.string().optional().openapi({
        description: 'Id of the last event that was seen. Browsers send it by themselves.',
        example: '4',
      }),
    }),
  },
  responses: {
    200: {
      description: 'The events until the end of the run.',
      content: { 'text/event-stream': { schema: { type: 'string' }, example: eventExample } },
    },
    204: { description: 'The run is over and there is nothing after that event: a browser does not ask again.' },
    ...readProblems,
    400: problem('A key in the query, or no event of the run in `Last-Event-ID`.', [
      refusal('key_in_query', 'Send the key in the header "Authorization: Bearer ...", never in the address.'),
      refusal('event_id_invalid', 'Last-Event-ID must be the id of an event.'),
    ]),
    429: problem(
      `Too many requests, or ${streamsOfAddressMax} streams of the address are open; Retry-After says when to come back.`,
      [refusal('rate_limited', tooManyOfAddress().message)],
      'Retry-After',
      'RateLimit',
      'RateLimit-Policy',
    ),
    503: problem(
      'As many streams as may be are open, or the database does not answer; try again.',
      [
        refusal('database_unavailable', 'The database does not answer now; try again in a few seconds.'),
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

export function runEventRoutes(deps: Deps, options: Partial<TellOptions> = {}) {
  const streams = new OpenStreams();
  return createRouter().openapi(
    getRunEvents,
    async (c) => {
      const { id } = c.req.valid('param');
      const after = readLastEventId(c.req.header('last-event-id'));
      const moment = isId('run', id) ? await findMoment(deps.database.db, id, 0, 0) : null;
      if (moment === null) throw runNotFound();
      if (after > moment.eventsTotal) throw eventIdInvalid(moment.eventsTotal);
      if (isEnded(moment.state) && after === moment.eventsTotal) return c.body(null, 204);
      const address = addressOf(deps, c);
      streams.open(address);
      deps.metrics.eventStreams.inc();
      const { body } = streamSSE(c, async (stream) => {
        try {
          await tellRun(deps, stream, id, after, options);
        } finally {
          streams.close(address);
          deps.metrics.eventStreams.dec();
        }
      });
      // How the bytes travel is the server's matter.
      c.header('Transfer-Encoding', undefined);
      // A stop waits for connections: this one is of no use after the stream.
      c.header('Connection', 'close');
      c.header('Cache-Control', 'no-store, no-transform');
      // A proxy that gathers a page before it passes it on would gather for as long as the run takes.
      c.header('X-Accel-Buffering', 'no');
      return c.newResponse(body) as never;
    },
    refuse(getRunEvents),
  );
}
