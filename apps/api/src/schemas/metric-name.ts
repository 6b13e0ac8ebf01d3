import { z } from '@hono/zod-openapi';
import type { Fault } from '@inferboard/core/errors';
import { askedFamilies, findMetric, metricFamilies, metricNames } from '@inferboard/core/metrics/index';
import { nearest } from '@inferboard/core/nearest';
import { findAsk } from '../asked-metrics.ts';

const known = [...new Set([...metricNames, ...metricFamilies.map((family) => family.base)])];
const asked = askedFamilies.map((family) => family.base);

/** Where to ask for a metric that no result holds; empty for any other name. */
function askingHint(name: string): string[] {
  const ask = findAsk(name);
  return ask === null ? [] : [`GET ${ask.path}?${ask.query} answers it, as ${ask.field}.`];
}

function toFault(name: string, parameter: string): Fault {
  const [asking] = askingHint(name);
  if (asking !== undefined) {
    const message = `No result holds ${name}, so that ${parameter} cannot name it here.`;
    return { code: 'metric_not_stored', parameter, message, hint: asking };
  }
  const meant = nearest(name, [...known, ...asked]);
  const hints = meant === null ? [] : [`Did you mean "${meant}"?`, ...askingHint(meant)];
  return {
    code: 'metric_unknown',
    parameter,
    message: `"${name}" is not a metric.`,
    hint: hints.length === 0 ? 'GET /v1/catalogue/metrics lists them.' : hints.join(' '),
  };
}

/**
 * A metric by its name, a bare latency meaning its mean. The fault tells the nearest one, or where a metric can be asked for
 * that no result holds.
 *
 * @param more names that this parameter takes besides
 */
export const metricSchema = (parameter: string, more: readonly string[] = []) =>
  z
    .string()
    .max(100)
    .superRefine((name, ctx) => {
      if (findMetric(name) !== null || more.includes(name)) return;
      const fault = toFault(name, parameter);
      ctx.addIssue({ code: 'custom', message: fault.message, params: { fault } });
    })
    .openapi({ type: 'string', enum: [...known, ...more] });
