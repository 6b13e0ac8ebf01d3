import { DomainError } from '@inferboard/core/errors';

const mebibyte = 1024 ** 2;

/** Limits in bytes for request bodies in flight: received but not yet answered. */
export interface BudgetLimits {
  /** Per key, or per address for requests without a key. */
  perSender: number;
  /** Per process. */
  perProcess: number;
}

/** The bytes of one body, counted until its request is answered. */
export interface Counted {
  /** @throws DomainError `bodies_too_many` if the additional bytes would exceed a limit */
  add(bytes: number): void;
  /** @throws DomainError `bodies_too_many` if the additional bytes would exceed a limit; counts nothing */
  require(bytes: number): void;
  release(): void;
}

export const tooManyBodies = (limit: string) =>
  new DomainError('bodies_too_many', `${limit}. Try again when other requests have finished.`);

/** The error for a sender that has reached its limit. */
export const senderIsFull = ({ perSender }: BudgetLimits) =>
  tooManyBodies(`You have ${perSender / mebibyte} MiB of request bodies in progress, which is the maximum`);

const processIsFull = () => tooManyBodies('The service is receiving as many large request bodies as it can');

export interface Budget {
  /** Starts counting a body. */
  open(sender: string): Counted;
  /** Bytes in flight now, for all senders. */
  inFlight(): number;
}

/** Counts bytes in flight and rejects requests that exceed a limit. */
export function createBudget(limits: BudgetLimits): Budget {
  const bySender = new Map<string, number>();
  let inFlight = 0;
  return {
    inFlight: () => inFlight,
    open(sender) {
      let own = 0;
      const ofSender = () => bySender.get(sender) ?? 0;
      const require = (bytes: number) => {
        if (ofSender() + bytes > limits.perSender) throw senderIsFull(limits);
        if (inFlight + bytes > limits.perProcess) throw processIsFull();
      };
      const count = (bytes: number) => {
        own += bytes;
        inFlight += bytes;
        const now = ofSender() + bytes;
        if (now === 0) bySender.delete(sender);
        else bySender.set(sender, now);
      };
      return {
        require,
        add(bytes) {
          require(bytes);
          count(bytes);
        },
        release: () => count(-own),
      };
    },
  };
}
