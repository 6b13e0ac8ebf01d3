import { totalsOf } from '@inferboard/core/plans/expand';
import type { PlanPoint } from '@inferboard/core/plans/point';
import type { EndpointRow } from '@inferboard/db/queries/endpoint';
import { capsOf, type DayCaps, takeBudget } from '@inferboard/db/queries/endpoint-budget';
import {
  releaseTarget,
  renewTarget,
  type TargetLease,
  takeTarget,
  targetLeaseS,
  unprovenLimits,
} from '@inferboard/db/queries/target-budget';
import { transact } from '@inferboard/db/transaction';
import type { WorkerDeps } from '../deps.ts';
import { RunFailure } from './run-failure.ts';

const { concurrency_max: atOnce, requests_per_day: aDay } = unprovenLimits;

function capsPassed({ requests, tokens }: DayCaps): RunFailure {
  const most = [requests === null ? null : `${requests} requests`, tokens === null ? null : `${tokens} tokens`];
  return new RunFailure(
    'budget_used_up',
    `The endpoint may be asked ${most.filter((text) => text !== null).join(' and ')} a day (UTC), and the next point would pass that.`,
  );
}

const targetSpent = () =>
  new RunFailure(
    'budget_used_up',
    `The server of the endpoint may be asked ${aDay} requests a day (UTC) before control of it is proven, counting all accounts, and the next point would pass that.`,
  );

const targetBusy = () =>
  new RunFailure(
    'endpoint_busy',
    `The server of the endpoint may be asked ${atOnce} requests at a time before control of it is proven, counting all accounts, and others are under way.`,
    { isPassing: true },
  );

/** What a point may use while it is measured. */
export interface HeldTarget {
  /** Aborted where others may have taken its place, so that nothing more may be sent. */
  readonly signal: AbortSignal;
  /** @throws RunFailure where it was lost */
  throwIfLost(): void;
  release(): Promise<void>;
}

const renew_ms = (targetLeaseS * 1000) / 8;

/** Renews a lease until it is released. A process that dies stops renewing. */
function keep({ database, log }: WorkerDeps, lease: TargetLease): HeldTarget {
  const lost = new AbortController();
  let renewing: Promise<void> = Promise.resolve();
  const renew = async () => {
    try {
      if (!(await renewTarget(database.db, lease))) lost.abort(targetBusy());
    } catch (error) {
      // The lease of the run, which lives in the same database and is shorter, ends the sending.
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
        // It ends by itself, and what was measured must not be lost with it.
        log('error', 'a lease of a server could not be released', { error: String(error) });
      });
    },
  };
}

/** A proven endpoint has its server to itself. */
const unlimited: HeldTarget = {
  signal: new AbortController().signal,
  throwIfLost: () => {},
  release: async () => {},
};

/**
 * What a run may ask of its endpoint: as its owner says and, where it is not proven, what is left for its server under these
 * names. Both are taken together, or neither.
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
    /** True where few prompts may be counted, for each is a request. */
    isScarce: caps.requests !== null || endpoint.verifiedBy === null,
    /** Takes one request for the counting of a prompt, of a point that is held. @throws RunFailure */
    async count(names: readonly string[]): Promise<void> {
      await take(names, { requests: 1, tokens: 0, concurrency: 0 });
    },
    /** Takes what a point needs, and holds it until it is released. @throws RunFailure */
    async hold(names: readonly string[], point: PlanPoint): Promise<HeldTarget> {
      const { requests, tokens, concurrency } = totalsOf([point]);
      const lease = await take(names, { requests, tokens, concurrency: concurrency ?? Number.POSITIVE_INFINITY });
      return lease === null ? unlimited : keep(deps, lease);
    },
  };
}
