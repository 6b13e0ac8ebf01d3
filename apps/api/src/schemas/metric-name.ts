import { z } from '@hono/zod-openapi';
import type { Fault } from '@inferboard/core/errors';
import { findMetric, metricFamilies, metricNames } from '@inferboard/core/metrics/index';
import { nearest } from '@inferboard/core/nearest';

const known = [...new Set([...metricNames, ...metricFamilies.map((family) => family.base)])];

/** A metric by its name, a bare latency meaning its mean; or the nearest one in the fault. */
export const metricSchema = (parameter: string) =>
  z
    .string()
    .max(100)
    .superRefine((name, ctx) => {
      if (findMetric(name) !== null) return;
      const meant = nearest(name, known);
      const fault: Fault = {
        code: 'metric_unknown',
        parameter,
        message: `"${name}" is not a metric.`,
        hint: meant === null ? 'GET /v1/catalogue/metrics lists them.' : `Did you mean "${meant}"?`,
      };
      ctx.addIssue({ code: 'custom', message: fault.message, params: { fault } });
    })
    .openapi({ type: 'string', enum: known });
