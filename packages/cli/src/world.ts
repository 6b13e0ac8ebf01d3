/** Ends a command with a message and an exit code. */
export class Failure extends Error {
  readonly exitCode: number;

  constructor(exitCode: number, message: string) {
    super(message);
    this.name = 'Failure';
    this.exitCode = exitCode;
  }
}

/** Exit codes of the client. Scripts depend on them. */
export const exitCodes = {
  ok: 0,
  /** The service rejected the request. */
  refused: 1,
  /** The command line cannot be used, or a file cannot be read. */
  usage: 2,
  /** The service cannot be reached, or cannot respond now. */
  unreachable: 3,
  /** `ci` only: stored, and slower than the base by more than the interval. */
  regression: 4,
} as const;

/** Asks the person at the terminal. */
export interface Terminal {
  /** The answer without spaces around it. */
  ask(question: string, options?: { isSecret?: boolean }): Promise<string>;
  close(): void;
}

/** The environment of the client: settings, input and output. */
export interface World {
  env: Readonly<Record<string, string | undefined>>;
  /** The login of the service in this checkout; null if the client was installed. */
  localLogin: string | null;
  /** Prints a line of the result. */
  print(text: string): void;
  /** Prints a progress line. */
  say(text: string): void;
  /** Reads standard input. */
  readInput(): Promise<Uint8Array<ArrayBuffer>>;
  /** True if the output is a terminal. */
  isRead: boolean;
  /** Returns null if there is no terminal. */
  openTerminal(): Terminal | null;
}
