import { DomainError } from '@inferboard/core/errors';

const mebibyte = 1024 ** 2;

/** Bytes of request bodies that may be in flight: received, and not yet answered. */
export interface BudgetLimits {
  /** For one key, or one address where no key was sent. */
  perSender: number;
  /** For the whole process. */
  perProcess: number;
}

/** The bytes of one body, counted until it is answered. */
export interface Counted {
  /** @throws DomainError `bodies_too_many` if that many more would exceed a limit */
  add(bytes: number): void;
  /** @throws DomainError `bodies_too_many` if that many more would exceed a limit; counts nothing */
  require(bytes: number): void;
  release(): void;
}

export const tooManyBodies = (limit: string) =>
  new DomainError('bodies_too_many', `${limit}: send this one again when others are answered.`);

/** The refusal of a sender that has reached its limit. */
export const senderIsFull = ({ perSender }: BudgetLimits) =>
  tooManyBodies(`You have ${perSender / mebibyte} MiB of request bodies under way, the most at a time`);

const processIsFull = () => tooManyBodies('The service is receiving as many large request bodies as it can');

export interface Budget {
  /** Starts to count a body. */
  open(sender: string): Counted;
  /** Bytes in flight now, of all senders. */
  inFlight(): number;
}

/** Counts bytes in flight, and refuses what exceeds a limit. */
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
