import type { LogFormat, LogLevel } from './log.ts';
import type { Protocol } from './start-tracing.ts';

/** How a process tells its operator what happens; what starts others hands it on. */
export interface TelemetrySettings {
  log: { format: LogFormat; level: LogLevel };
  /** Traces are sent where `isOn`; the address, headers and limits the library reads from `OTEL_...`. */
  traces: { isOn: boolean; protocol: Protocol };
}

export const quietly: TelemetrySettings = {
  log: { format: 'text', level: 'info' },
  traces: { isOn: false, protocol: 'http/protobuf' },
};
