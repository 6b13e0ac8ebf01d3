export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

export const logFormats = ['text', 'json'] as const;
export type LogFormat = (typeof logFormats)[number];

/** Logs an event. Details are structured; they never contain user input, a key or a query. */
export type Log = (level: LogLevel, message: string, details?: Record<string, unknown>) => void;

/** Fields of a request's log line. */
export interface RequestLine {
  request_id: string;
  trace_id: string;
  method: string;
  /** Route pattern, such as `/v1/runs/{id}`. */
  route: string;
  status: number;
  /** Time until the first byte of the response. */
  duration_ms: number;
  /** Id of the requested object, if it has one of our id formats. */
  id?: string;
  account?: string;
  key?: string;
}

export interface Logs {
  log: Log;
  /** Logs one line per request; null if request lines are disabled. */
  logRequest: ((level: LogLevel, line: RequestLine) => void) | null;
}

/** The last safeguard: masks text that looks like one of our keys. */
const withoutKeys = (line: string): string => line.replace(/ib_[0-9A-Za-z]{20,}/g, 'ib_...');

/**
 * Creates the service's logs.
 * - `text`: human-readable progress on standard output, errors as JSON on standard error, no request lines
 * - `json`: everything as JSON, one object per line, errors on standard error, with a line per request
 *
 * @param role the component's name in every JSON line
 * @param level the minimum level
 */
export function createLogs(
  { format, level }: { format: LogFormat; level: LogLevel },
  role: string,
  write: { out(line: string): void; err(line: string): void } = {
    out: (line) => process.stdout.write(line),
    err: (line) => process.stderr.write(line),
  },
): Logs {
  const least = logLevels.indexOf(level);
  const isSaid = (of: LogLevel) => logLevels.indexOf(of) >= least;
  const writeJson = (of: LogLevel, message: string, details: object | undefined) => {
    const line = withoutKeys(JSON.stringify({ time: new Date().toISOString(), level: of, message, role, ...details }));
    write[of === 'error' ? 'err' : 'out'](`${line}\n`);
  };
  const log: Log = (of, message, details) => {
    if (!isSaid(of)) return;
    if (format === 'json' || of === 'error') writeJson(of, message, details);
    else write.out(`${withoutKeys(message)}\n`);
  };
  const logRequest = (of: LogLevel, line: RequestLine) => {
    if (isSaid(of)) writeJson(of, 'request', line);
  };
  return { log, logRequest: format === 'json' ? logRequest : null };
}
