import { createRoute, z } from '@hono/zod-openapi';
import { ping } from '@inferboard/db/connection/client';
import type { Deps } from '../deps.ts';
import { createRouter } from '../http/router.ts';
import { json } from '../schemas/common.ts';
import { sends } from '../schemas/headers.ts';

const AliveSchema = z.object({ status: z.literal('ok') });
const ReadySchema = z.object({
  status: z.enum(['ready', 'not_ready']),
  database: z.enum(['reachable', 'unreachable']),
  pending_migrations: z.number().int().nullable(),
  draining: z.boolean(),
});

const notReady = { status: 'not_ready', database: 'unreachable', pending_migrations: null, draining: false } as const;

const getHealth = createRoute({
  method: 'get',
  path: '/healthz',
  operationId: 'getHealth',
  tags: ['Operation'],
  summary: 'Check that the process is alive',
  description: 'The liveness probe. It checks only the process, so it succeeds even if the database is down.',
  responses: { 200: json('The process is alive.', AliveSchema) },
});

const getReadiness = createRoute({
  method: 'get',
  path: '/readyz',
  operationId: 'getReadiness',
  tags: ['Operation'],
  summary: 'Check that the service is ready',
  description:
    'The readiness probe, for load balancers. Ready once the database responds and has current migrations, until the process shuts down.',
  responses: {
    200: json('The database is reachable and its migrations are current.', ReadySchema),
    503: {
      description: 'Not ready.',
      headers: sends('Retry-After'),
      content: { 'application/json': { schema: ReadySchema, example: notReady } },
    },
  },
});

export function healthRoutes(deps: Deps) {
  return createRouter()
    .openapi(getHealth, (c) => c.json({ status: 'ok' as const }, 200))
    .openapi(getReadiness, async (c) => {
      const draining = deps.isDraining();
      try {
        await ping(deps.database.sql);
        const pending = await deps.pendingMigrations();
        const ready = pending === 0 && !draining;
        const body = { database: 'reachable' as const, pending_migrations: pending, draining };
        return ready
          ? c.json({ status: 'ready' as const, ...body }, 200)
          : c.json({ status: 'not_ready' as const, ...body }, 503, { 'Retry-After': '5' });
      } catch (error) {
        deps.log('error', 'the service is not ready', { error: String(error) });
        const body = { database: 'unreachable' as const, pending_migrations: null, draining };
        return c.json({ status: 'not_ready' as const, ...body }, 503, { 'Retry-After': '5' });
      }
    });
}
