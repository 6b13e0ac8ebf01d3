import { createRoute, z } from '@hono/zod-openapi';
import { DomainError } from '@inferboard/core/errors';
import { findMetric } from '@inferboard/core/metrics/index';
import type { Context } from 'hono';
import type { Deps } from '../../deps.ts';
import { isId } from '../../http/is-id.ts';
import { refuse } from '../../http/refuse.ts';
import { createRouter } from '../../http/router.ts';
import { cached } from '../../response-cache/cached.ts';
import { missing, readProblems } from '../../schemas/common.ts';
import { sends } from '../../schemas/headers.ts';
import { metricSchema } from '../../schemas/metric-name.ts';
import { drawBadge } from './draw-badge.ts';
import { badgeMetricDefault, badgeOfSubmission, badgeOfSystem } from './find-badge.ts';

/** Badges are embedded in other sites: allowed as images, and without any rights as documents. */
const headers = {
  'Content-Type': 'image/svg+xml; charset=utf-8',
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'Cross-Origin-Resource-Policy': 'cross-origin',
  // Limits how long an embedding page may show a badge after a retraction.
  'Cache-Control': 'public, max-age=300',
};

const badgeExample = drawBadge({
  label: 'Llama 3.1 8B on H100 SXM',
  message: '902.1 tok/s per GPU · self-reported',
  color: '#5f6368',
});

const metric = metricSchema('metric')
  .optional()
  .openapi({
    description: `The metric to show. Default: ${badgeMetricDefault}. A latency without a statistic means its mean.`,
    example: 'decode_tok_s',
  });

/** A route in two forms: as documented, and as the router can match it, which allows no text after a parameter. */
function badgeRoute(kind: 'systems' | 'submissions', about: { operationId: string; summary: string; example: string }) {
  const { operationId, summary, example } = about;
  const route = {
    method: 'get' as const,
    operationId,
    tags: ['Systems'],
    summary,
    description:
      'A small image for other sites: the best accepted value with its unit and trust level, or a note that ' +
      'it is quarantined or retracted. A provisional submission shows the best rank that it would have on a board. Cached for ' +
      'at most five minutes.',
    request: {
      params: z.object({ id: z.string().openapi({ description: `Id, as in /v1/${kind}.`, example }) }),
      query: z.strictObject({ metric }),
    },
    responses: {
      200: {
        description: 'The badge.',
        headers: sends('ETag', 'Cache-Control'),
        content: { 'image/svg+xml': { schema: z.string(), example: badgeExample } },
      },
      304: { description: 'Not modified.', headers: sends('ETag') },
      ...readProblems,
      ...missing,
    },
  };
  return {
    documented: createRoute({ ...route, path: `/badges/${kind}/{id}.svg` }),
    matched: createRoute({ ...route, path: `/badges/${kind}/:id{[^/]+\\.svg}`, hide: true }),
  };
}

const ofSystem = badgeRoute('systems', {
  operationId: 'getSystemBadge',
  summary: 'Get the badge of a system',
  example: 'sys_3f1c5a0b9d8e7f6a5b4c3d2e',
});
const ofSubmission = badgeRoute('submissions', {
  operationId: 'getSubmissionBadge',
  summary: 'Get the badge of a submission',
  example: 'sub_0192f0c8a1b27c3d8e4f5a6b7c8d9e0f',
});

export function badgeRoutes(deps: Deps) {
  const respond = async (c: Context, file: string, name: string | undefined, prefix: 'sys' | 'sub') => {
    const id = file.replace(/\.svg$/, '');
    const shown = findMetric(name ?? badgeMetricDefault);
    if (shown === null) throw new Error(`the schema accepted the unknown metric ${name}`);
    const find = prefix === 'sys' ? badgeOfSystem : badgeOfSubmission;
    const badge = isId(prefix, id) ? await find(deps.database.db, id, shown) : null;
    if (badge === null) {
      const kind = prefix === 'sys' ? 'system' : 'submission';
      const detail = isId(prefix, id) ? `There is no ${kind} ${id}.` : `This is not the id of a ${kind}.`;
      throw new DomainError('not_found', detail);
    }
    return c.body(drawBadge(badge), 200, headers);
  };
  const router = createRouter();
  for (const { documented } of [ofSystem, ofSubmission]) router.openAPIRegistry.registerPath(documented);
  return router
    .openapi(
      cached(deps, ofSystem.matched, ['results']),
      (c) => respond(c, c.req.valid('param').id, c.req.valid('query').metric, 'sys'),
      refuse(ofSystem.matched),
    )
    .openapi(
      cached(deps, ofSubmission.matched, ['results']),
      (c) => respond(c, c.req.valid('param').id, c.req.valid('query').metric, 'sub'),
      refuse(ofSubmission.matched),
    );
}
