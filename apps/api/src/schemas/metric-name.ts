import { z } from '@hono/zod-openapi';
import type { Fault } from '@inferboard/core/errors';
import { findMetric, metricFamilies, metricNames, onRequestFamilies } from '@inferboard/core/metrics/index';
import { nearest } from '@inferboard/core/text/nearest';
import { findAsk } from '../boards/asked-metrics.ts';

const known = [...new Set([...metricNames, ...metricFamilies.map((family) => family.base)])];
const asked = onRequestFamilies.map((family) => family.base);

/** Where to request a metric that no result stores; empty for any other name. */
function askingHint(name: string): string[] {
  const ask = findAsk(name);
  return ask === null ? [] : [`Use GET ${ask.path}?${ask.query}; the field is ${ask.field}.`];
}

function toFault(name: string, parameter: string): Fault {
  const [asking] = askingHint(name);
  if (asking !== undefined) {
    const message = `No result has ${name}, so it cannot be used in ${parameter}.`;
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
 * A metric by name; a bare latency means its mean. The error names the closest metric, or the request for a metric that no result
 * stores.
 *
 * @param more other values that this parameter accepts
 * @param form the form of further values that it accepts
 */
export const metricSchema = (parameter: string, more: readonly string[] = [], form: RegExp | null = null) =>
  z
    .string()
    .max(100)
    .superRefine((name, ctx) => {
      if (findMetric(name) !== null || more.includes(name) || form?.test(name) === true) return;
      const fault = toFault(name, parameter);
      ctx.addIssue({ code: 'custom', message: fault.message, params: { fault } });
    })
    .openapi(
      form === null
        ? { type: 'string', enum: [...known, ...more] }
        : {
            anyOf: [
              { type: 'string', enum: [...known, ...more] },
              { type: 'string', pattern: form.source },
            ],
          },
    );
