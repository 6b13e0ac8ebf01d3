/** Ends a command with a message and an exit code. */
export class Failure extends Error {
  readonly exitCode: number;

  constructor(exitCode: number, message: string) {
    super(message);
    this.name = 'Failure';
    this.exitCode = exitCode;
  }
}

/** What the client's exit codes mean. Scripts depend on them. */
export const exitCodes = {
  ok: 0,
  /** The service read the request and refused it. */
  refused: 1,
  /** The command line cannot be used, or a file cannot be read. */
  usage: 2,
  /** The service cannot be reached, or cannot answer now. */
  unreachable: 3,
  /** `ci` alone: stored, and slower than the base beyond the interval. */
  regression: 4,
} as const;

/** Asks the person at the terminal. */
export interface Terminal {
  /** The answer without spaces around it. */
  ask(question: string, options?: { isSecret?: boolean }): Promise<string>;
  close(): void;
}

/** What the client reaches outside itself. */
export interface World {
  env: Readonly<Record<string, string | undefined>>;
  /** Prints a line of the answer. */
  print(text: string): void;
  /** Prints a line about what happens. */
  say(text: string): void;
  /** Everything that was piped in. */
  readInput(): Promise<Uint8Array<ArrayBuffer>>;
  /** Whether somebody reads what is printed. */
  isRead: boolean;
  /** Null where nobody can be asked. */
  openTerminal(): Terminal | null;
}
