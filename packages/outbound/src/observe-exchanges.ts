/** Describes a request before it is sent. */
export interface ExchangeBegun {
  method: string;
  /** Name or address, without the port. */
  host: string;
}

/** Called before a request is sent. Returns a callback for its end, which gets the status, or the failure's message. */
export type ExchangeObserver = (
  begun: ExchangeBegun,
) => (ended: { status: number | null; words: string | null }) => void;

let observer: ExchangeObserver | null = null;

/** Observes all requests of this package from now on, in this thread. */
export function observeExchanges(begin: ExchangeObserver): void {
  observer = begin;
}

/** For this package only. */
export const beginExchange: ExchangeObserver = (begun) => observer?.(begun) ?? (() => {});
