/** Refusal codes, for requests that were not sent; a closed list. */
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

/** One fault of a request. All faults are reported at once. */
export interface Fault {
  readonly code: RefusalCode;
  readonly message: string;
  /** How to fix it. */
  readonly hint: string;
}

/** The only failure details for an endpoint's owner, so that responses cannot be used to map internal networks. */
export type OwnerWords = 'refused' | 'timed out' | 'no answer' | 'tls failed' | 'too large' | 'canceled';

/**
 * The request was not sent; contains all reasons. Code, message and faults may be shown to the user who supplied the URL.
 * `detail` is for the operator's log only. It is a getter, so that neither JSON nor a printed error contains it.
 */
export class OutboundRefusal extends Error {
  override readonly name = 'OutboundRefusal';
  readonly words = 'refused' satisfies OwnerWords;
  /** The code of the first fault. */
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

/** The request, or the DNS lookup, failed. The message is intended for the owner. */
export class OutboundFailure extends Error {
  override readonly name = 'OutboundFailure';
  readonly words: OwnerWords;
  readonly #detail: string;

  constructor(words: OwnerWords, detail: string) {
    super(words);
    this.words = words;
    this.#detail = detail;
  }

  /** For the operator's log only. Contains host, address and system error; never a path, a header or a body. */
  get detail(): string {
    return this.#detail;
  }
}

/** @throws OutboundRefusal if there is any fault */
export function refuse(faults: readonly Fault[], detail?: string): void {
  const [first, ...rest] = faults;
  if (first !== undefined) throw new OutboundRefusal([first, ...rest], detail);
}

/** An error's code and message on one line, for the operator's log. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? `${String(error.code)} ` : '';
  return `${code}${error.message}`.replace(/\s+/g, ' ').trim();
}
