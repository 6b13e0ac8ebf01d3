/** Closed list of what the guard refuses before a byte is sent. */
export const refusalCodes = [
  'url_invalid',
  'url_too_long',
  'scheme_not_allowed',
  'userinfo_present',
  'fragment_present',
  'port_not_allowed',
  'host_invalid',
  'host_single_label',
  'host_reserved',
  'host_metadata',
  'address_not_allowed',
  'credential_elsewhere',
  'header_not_allowed',
  'header_invalid',
  'cidr_invalid',
  'contact_invalid',
] as const;
export type RefusalCode = (typeof refusalCodes)[number];

/** One thing wrong with what was asked for. All of them are reported at once. */
export interface Fault {
  readonly code: RefusalCode;
  readonly message: string;
  /** What to do about it. */
  readonly hint: string;
}

/** All that the owner of an endpoint learns when a request fails: what stands behind an address is not theirs to map. */
export type OwnerWords = 'refused' | 'timed out' | 'no answer' | 'tls failed' | 'too large' | 'canceled';

/**
 * The request was not made, with every reason why. Code, message and faults may be shown to whoever gave the URL.
 * `detail` is for the operator's log alone: a getter, so that neither JSON nor a printed error carries it.
 */
export class OutboundRefusal extends Error {
  override readonly name = 'OutboundRefusal';
  readonly words = 'refused' satisfies OwnerWords;
  /** That of the first fault. */
  readonly code: RefusalCode;
  readonly faults: readonly Fault[];
  readonly #detail: string;

  constructor(faults: readonly [Fault, ...Fault[]], detail = '') {
    super(faults.map(({ message, hint }) => `${message} ${hint}`).join(' '));
    this.code = faults[0].code;
    this.faults = faults;
    this.#detail = detail;
  }

  get detail(): string {
    return this.#detail;
  }
}

/** The request was made, or a name was asked for, and it came to nothing. The message is the words for the owner. */
export class OutboundFailure extends Error {
  override readonly name = 'OutboundFailure';
  readonly words: OwnerWords;
  readonly #detail: string;

  constructor(words: OwnerWords, detail: string) {
    super(words);
    this.words = words;
    this.#detail = detail;
  }

  /** For the operator's log alone. Names host, address and the system's error; never a path, a header or a body. */
  get detail(): string {
    return this.#detail;
  }
}

/** @throws OutboundRefusal if there is any fault */
export function refuse(faults: readonly Fault[], detail?: string): void {
  const [first, ...rest] = faults;
  if (first !== undefined) throw new OutboundRefusal([first, ...rest], detail);
}

/** An error's code and text on one line, for the operator's log. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? `${String(error.code)} ` : '';
  return `${code}${error.message}`.replace(/\s+/g, ' ').trim();
}
