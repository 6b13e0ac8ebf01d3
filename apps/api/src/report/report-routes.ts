import { createRoute, z } from '@hono/zod-openapi';
import { DomainError } from '@inferboard/core/errors';
import { noFilters } from '@inferboard/core/filters/filters';
import { reportOf } from '@inferboard/core/report/index';
import { ttftLimitDefaultS } from '@inferboard/core/report/thresholds';
import { findSystem } from '@inferboard/db/catalogue/system-find';
import type { Deps } from '../deps.ts';
import { isId } from '../http/is-id.ts';
import { refuse } from '../http/refuse.ts';
import { createRouter } from '../http/router.ts';
import { cached } from '../response-cache/cached.ts';
import { json, missing, readProblems } from '../schemas/common.ts';
import { ReportSchema } from './report-schema.ts';
import { toReportPoints, toSystem, viewReport } from './report-view.ts';

const ttftLimitS = z
  .string()
  .regex(/^\d{1,3}(\.\d{1,20})?$/, 'must be a number of seconds from 0.01 to 600, such as 3.0')
  .transform(Number)
  .pipe(z.number().min(0.01, 'must be at least 0.01').max(600, 'must be at most 600'));

const getSystemReport = createRoute({
  method: 'get',
  path: '/v1/systems/{id}/report',
  operationId: 'getSystemReport',
  tags: ['Systems'],
  summary: 'Get the report on a system',
  description:
    'Headline figures; sections for closed loops of 1 to 32, for bursts of 1 to 256 and for static batches, each null if ' +
    'nothing was measured; the range across scenarios at each load; and findings based on these figures and the ' +
    'included thresholds. Uses only accepted results, and the preferred formula of each metric.',
  request: {
    params: z.object({
      id: z.string().openapi({ description: 'Id of the system.', example: 'sys_3f1c5a0b9d8e7f6a5b4c3d2e' }),
    }),
    query: z.strictObject({
      ttft_limit_s: ttftLimitS.optional().openapi({
        type: 'number',
        minimum: 0.01,
        maximum: 600,
        default: ttftLimitDefaultS,
        description: `Longest acceptable mean time to first token, in seconds, 0.01 to 600. Default: ${ttftLimitDefaultS.toFixed(1)}. Max safe queue and all findings about the wait use it.`,
        example: 3,
      }),
    }),
  },
  responses: {
    200: json('The report.', ReportSchema),
    ...readProblems,
    ...missing,
  },
});

export function reportRoutes(deps: Deps) {
  return createRouter().openapi(
    cached(deps, getSystemReport, ['results']),
    async (c) => {
      const { id } = c.req.valid('param');
      const { ttft_limit_s = ttftLimitDefaultS } = c.req.valid('query');
      const found = isId('sys', id) ? await findSystem(deps.database.db, id, noFilters) : null;
      if (found === null) {
        throw new DomainError(
          'not_found',
          isId('sys', id) ? `There is no system ${id}.` : 'This is not the id of a system.',
        );
      }
      const points = toReportPoints(found.points, id, deps.publicUrl);
      const report = reportOf(points, ttft_limit_s, toSystem(found.system));
      return c.json(viewReport(report, found.system, deps.publicUrl), 200);
    },
    refuse(getSystemReport),
  );
}
