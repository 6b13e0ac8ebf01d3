import { hostname } from 'node:os';
import type { TelemetrySettings } from './settings.ts';
import { noTracing, type Tracing } from './tracing.ts';

export const protocols = ['http/protobuf', 'http/json'] as const;
export type Protocol = (typeof protocols)[number];

/**
 * Starts sending traces by OTLP over HTTP, if enabled. Loads the libraries only then.
 *
 * @param service the service name, unless `OTEL_SERVICE_NAME` is set
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
