import type { Logs } from './log.ts';
import { noTracing, type Tracing } from './tracing.ts';

/** What a service tells its operator of each request, beside figures. */
export interface Telemetry {
  tracing: Tracing;
  logRequest: Logs['logRequest'];
}

/** Tells nothing. */
export const noTelemetry: Telemetry = { tracing: noTracing, logRequest: null };
