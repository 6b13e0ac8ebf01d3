import { totalsOf } from '@inferboard/core/plans/expand';
import type { PlanPoint } from '@inferboard/core/plans/point';
import { transact } from '@inferboard/db/connection/transaction';
import type { EndpointRow } from '@inferboard/db/runs/endpoint';
import { capsOf, type DayCaps, takeBudget } from '@inferboard/db/runs/endpoint-budget';
import {
  releaseTarget,
  renewTarget,
  type TargetLease,
  takeTarget,
  targetLeaseS,
  unprovenLimits,
} from '@inferboard/db/runs/target-budget';
import type { WorkerDeps } from '../deps.ts';
import { RunFailure } from './run-failure.ts';

const { concurrency_max: atOnce, requests_per_day: aDay } = unprovenLimits;

function capsPassed({ requests, tokens }: DayCaps): RunFailure {
  const most = [requests === null ? null : `${requests} requests`, tokens === null ? null : `${tokens} tokens`];
  return new RunFailure(
    'budget_used_up',
    `The limit of the endpoint is ${most.filter((text) => text !== null).join(' and ')} per day (UTC), and the next point would exceed it.`,
  );
}

const targetSpent = () =>
  new RunFailure(
    'budget_used_up',
    `Until control of it is proven, the limit of the server of the endpoint is ${aDay} requests per day (UTC) for all accounts, and the next point would exceed it.`,
  );

const targetBusy = () =>
  new RunFailure(
    'endpoint_busy',
    `Until control of it is proven, the limit of the server of the endpoint is ${atOnce} concurrent requests for all accounts, and others are in progress.`,
    { isPassing: true },
  );

/** A lease of the server for one point. */
export interface HeldTarget {
  /** Aborted if the lease may have been lost, so that no further request is sent. */
  readonly signal: AbortSignal;
  /** @throws RunFailure if the lease was lost */
  throwIfLost(): void;
  release(): Promise<void>;
}

const renew_ms = (targetLeaseS * 1000) / 8;

/** Renews a lease until it is released. If the process dies, the lease expires. */
function keep({ database, log }: WorkerDeps, lease: TargetLease): HeldTarget {
  const lost = new AbortController();
  let renewing: Promise<void> = Promise.resolve();
  const renew = async () => {
    try {
      if (!(await renewTarget(database.db, lease))) lost.abort(targetBusy());
    } catch (error) {
      // The run's lease is in the same database and shorter, so it stops the requests first.
      log('error', 'a lease of a server could not be renewed', { error: String(error) });
    }
  };
  const timer = setInterval(() => {
    renewing = renewing.then(renew);
  }, renew_ms);
  return {
    signal: lost.signal,
    throwIfLost: () => lost.signal.throwIfAborted(),
    release: async () => {
      clearInterval(timer);
      await renewing;
      await releaseTarget(database.db, lease).catch((error: unknown) => {
        // The lease expires anyway, and a failed release must not discard the results.
        log('error', 'a lease of a server could not be released', { error: String(error) });
      });
    },
  };
}

/** A verified endpoint has no shared server limits. */
const unlimited: HeldTarget = {
  signal: new AbortController().signal,
  throwIfLost: () => {},
  release: async () => {},
};

/**
 * The budget of a run: the owner's limits and, for an unverified endpoint, the remaining limits of its server under these
 * names. Takes from both, or from neither.
 */
export function budgetOf(deps: WorkerDeps, endpoint: EndpointRow) {
  const caps = capsOf(endpoint);
  const take = (names: readonly string[], amount: { requests: number; tokens: number; concurrency: number }) =>
    transact(deps.database.db, async (tx): Promise<TargetLease | null> => {
      const taken = endpoint.verifiedBy === null ? await takeTarget(tx, names, amount) : null;
      if (taken !== null && 'refused' in taken) throw taken.refused === 'spent' ? targetSpent() : targetBusy();
      if (!(await takeBudget(tx, endpoint.id, amount, caps))) throw capsPassed(caps);
      return taken;
    });
  return {
    /** True if few prompts may be counted, because each takes a request. */
    isScarce: caps.requests !== null || endpoint.verifiedBy === null,
    /** Takes one request for counting a prompt of a held point. @throws RunFailure */
    async count(names: readonly string[]): Promise<void> {
      await take(names, { requests: 1, tokens: 0, concurrency: 0 });
    },
    /** Takes a point's budget and holds it until released. @throws RunFailure */
    async hold(names: readonly string[], point: PlanPoint): Promise<HeldTarget> {
      const { requests, tokens, concurrency } = totalsOf([point]);
      const lease = await take(names, { requests, tokens, concurrency: concurrency ?? Number.POSITIVE_INFINITY });
      return lease === null ? unlimited : keep(deps, lease);
    },
  };
}
