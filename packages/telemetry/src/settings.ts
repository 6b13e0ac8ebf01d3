import type { LogFormat, LogLevel } from './log.ts';
import type { Protocol } from './start-tracing.ts';

/** Telemetry settings; a parent process passes them to its children. */
export interface TelemetrySettings {
  log: { format: LogFormat; level: LogLevel };
  /** Traces are sent if `isOn`. The library reads address, headers and limits from `OTEL_...`. */
  traces: { isOn: boolean; protocol: Protocol };
}

export const quietly: TelemetrySettings = {
  log: { format: 'text', level: 'info' },
  traces: { isOn: false, protocol: 'http/protobuf' },
};
