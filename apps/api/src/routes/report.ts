import { createRoute, z } from '@hono/zod-openapi';
import { DomainError } from '@inferboard/core/errors';
import { noFilters } from '@inferboard/core/filters/filters';
import { reportOf } from '@inferboard/core/report/index';
import { ttftLimitDefaultS } from '@inferboard/core/report/thresholds';
import { findSystem } from '@inferboard/db/queries/system-find';
import { kept } from '../answer-cache/keep.ts';
import type { Deps } from '../deps.ts';
import { isId } from '../is-id.ts';
import { refuse } from '../refuse.ts';
import { toReportPoints, toSystem, viewReport } from '../report-view.ts';
import { createRouter } from '../router.ts';
import { missing, readProblems } from '../schemas/common.ts';
import { ReportSchema } from '../schemas/report.ts';

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
  summary: 'What a system does alone, shared and in a burst, with findings in sentences',
  description:
    'Headline figures; a section for closed loops of 1 to 32, for bursts of 1 to 256 and for static batches, each null where ' +
    'nothing was measured; the range across scenarios at each load; and findings computed from these figures and the ' +
    'thresholds that come with them. Rests on accepted results alone, each metric by its preferred formula.',
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
        description: `Longest mean time to first token that users accept, in seconds, 0.01 to 600; ${ttftLimitDefaultS.toFixed(1)} by default. Max safe queue and every sentence about the wait follow from it.`,
        example: 3,
      }),
    }),
  },
  responses: {
    200: { description: 'The report.', content: { 'application/json': { schema: ReportSchema } } },
    ...readProblems,
    ...missing,
  },
});

export function reportRoutes(deps: Deps) {
  return createRouter().openapi(
    kept(deps, getSystemReport, ['results']),
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
