import type { Logs } from './log.ts';
import { noTracing, type Tracing } from './tracing.ts';

/** Per-request telemetry of a service, in addition to metrics. */
export interface Telemetry {
  tracing: Tracing;
  logRequest: Logs['logRequest'];
}

/** Disabled telemetry. */
export const noTelemetry: Telemetry = { tracing: noTracing, logRequest: null };
