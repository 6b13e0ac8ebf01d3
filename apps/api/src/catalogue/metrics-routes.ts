import { createRoute, z } from '@hono/zod-openapi';
import type { Deps } from '../deps.ts';
import { createRouter } from '../http/router.ts';

const getMetrics = createRoute({
  method: 'get',
  path: '/metrics',
  operationId: 'getMetrics',
  tags: ['Operation'],
  summary: 'Get service metrics for Prometheus',
  description:
    'Requests by route, submissions by tool, the database, the event loop. If several processes share ' +
    'the port (`PROCESSES`), their figures are added up. The response has no secrets and no submitted data. To hide it, block it ' +
    'in the proxy.',
  responses: {
    200: {
      description: 'The metrics, in the Prometheus text format.',
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
