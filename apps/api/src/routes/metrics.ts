import { createRoute, z } from '@hono/zod-openapi';
import type { Deps } from '../deps.ts';
import { createRouter } from '../router.ts';

const getMetrics = createRoute({
  method: 'get',
  path: '/metrics',
  operationId: 'getMetrics',
  tags: ['Operation'],
  summary: 'Figures about the service, for Prometheus',
  description:
    'Requests by pattern of their address, submissions by tool, the database, the event loop. Where several processes share ' +
    'the port (`PROCESSES`), the figures of all are added up. It holds no secret and nothing that anybody submitted; block it ' +
    'in the proxy to hide it.',
  responses: {
    200: {
      description: 'The figures, in the text format of Prometheus.',
      content: {
        'text/plain': {
          schema: z.string(),
          example: 'inferboard_http_requests_total{method="GET",route="/v1/leaderboard",status="2xx"} 42\n',
        },
      },
    },
  },
});

export function metricsRoutes(deps: Pick<Deps, 'metrics'>) {
  return createRouter().openapi(getMetrics, async (c) => {
    const { registry, figures } = deps.metrics;
    return c.text(await figures(), 200, { 'Content-Type': registry.contentType });
  });
}
