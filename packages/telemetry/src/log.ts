export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

export const logFormats = ['text', 'json'] as const;
export type LogFormat = (typeof logFormats)[number];

/** Says what happened. Details are for machines; none of them is a stranger's words, a key or a query. */
export type Log = (level: LogLevel, message: string, details?: Record<string, unknown>) => void;

/** What is said of one answered request. */
export interface RequestLine {
  request_id: string;
  trace_id: string;
  method: string;
  /** Pattern of the address, such as `/v1/runs/{id}`. */
  route: string;
  status: number;
  /** Until the answer began to leave. */
  duration_ms: number;
  /** The thing that was asked for, where its id is one of ours. */
  id?: string;
  account?: string;
  key?: string;
}

export interface Logs {
  log: Log;
  /** One line for each request; null where nobody reads them. */
  logRequest: ((level: LogLevel, line: RequestLine) => void) | null;
}

/** The last guard: whatever is said, what looks like a key of ours is not. */
const withoutKeys = (line: string): string => line.replace(/ib_[0-9A-Za-z]{20,}/g, 'ib_...');

/**
 * Lines for whoever runs the service.
 *
 * - `text`: progress for people on standard output, trouble as JSON on standard error, nothing of single requests
 * - `json`: all of it as JSON, one object a line, trouble on standard error; with a line for each request
 *
 * @param role the part of the service that speaks, in every line of JSON
 * @param level what is less is not said
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
  const tell = (of: LogLevel, message: string, details: object | undefined) => {
    const line = withoutKeys(JSON.stringify({ time: new Date().toISOString(), level: of, message, role, ...details }));
    write[of === 'error' ? 'err' : 'out'](`${line}\n`);
  };
  const log: Log = (of, message, details) => {
    if (!isSaid(of)) return;
    if (format === 'json' || of === 'error') tell(of, message, details);
    else write.out(`${withoutKeys(message)}\n`);
  };
  const logRequest = (of: LogLevel, line: RequestLine) => {
    if (isSaid(of)) tell(of, 'request', line);
  };
  return { log, logRequest: format === 'json' ? logRequest : null };
}
