import { observeStatements } from '@inferboard/db/connection/observe-statements';
import { observeExchanges } from '@inferboard/outbound/observe-exchanges';
import { exchangeObserver, statementObserver } from '@inferboard/telemetry/observers';
import type { TelemetrySettings } from '@inferboard/telemetry/settings';
import { startTracing } from '@inferboard/telemetry/start-tracing';
import type { Tracing } from '@inferboard/telemetry/tracing';

/** Starts tracing for this thread if it is configured: statements, outgoing requests, and manually created spans. */
export async function traceWork(settings: TelemetrySettings['traces'], service: string): Promise<Tracing> {
  const tracing = await startTracing(settings, service);
  if (tracing.isOn) {
    observeStatements(statementObserver(tracing));
    observeExchanges(exchangeObserver(tracing));
  }
  return tracing;
}
