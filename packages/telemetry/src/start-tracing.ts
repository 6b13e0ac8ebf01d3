import { hostname } from 'node:os';
import type { TelemetrySettings } from './settings.ts';
import { noTracing, type Tracing } from './tracing.ts';

export const protocols = ['http/protobuf', 'http/json'] as const;
export type Protocol = (typeof protocols)[number];

/**
 * Starts to send traces by OTLP over HTTP, where that is wanted. What it takes is loaded only then.
 *
 * @param service the name of what speaks, where `OTEL_SERVICE_NAME` does not say
 */
export async function startTracing(settings: TelemetrySettings['traces'], service: string): Promise<Tracing> {
  if (!settings.isOn) return noTracing;
  const [{ createTracing }, { defaultResource, detectResources, envDetector, resourceFromAttributes }, exporters] =
    await Promise.all([
      import('./otel.ts'),
      import('@opentelemetry/resources'),
      settings.protocol === 'http/json'
        ? import('@opentelemetry/exporter-trace-otlp-http')
        : import('@opentelemetry/exporter-trace-otlp-proto'),
    ]);
  const ours = resourceFromAttributes({
    'service.name': service,
    'service.instance.id': `${hostname()}:${process.pid}`,
  });
  const resource = defaultResource()
    .merge(ours)
    .merge(detectResources({ detectors: [envDetector] }));
  return createTracing(resource, new exporters.OTLPTraceExporter());
}
