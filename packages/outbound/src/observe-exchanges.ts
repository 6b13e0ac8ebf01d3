/** What is told of a request before it leaves. */
export interface ExchangeBegun {
  method: string;
  /** Name or address, without the port. */
  host: string;
}

/** Told when a request is about to leave, answers what is told when it is over: the status, or the failure in our words. */
export type ExchangeObserver = (
  begun: ExchangeBegun,
) => (ended: { status: number | null; words: string | null }) => void;

let observer: ExchangeObserver | null = null;

/** Watches every request that leaves by this guard from now on, in this thread. */
export function observeExchanges(begin: ExchangeObserver): void {
  observer = begin;
}

/** For the guard alone. */
export const beginExchange: ExchangeObserver = (begun) => observer?.(begun) ?? (() => {});
