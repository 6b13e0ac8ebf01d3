import type { DatasetId } from '@inferboard/core/plans/datasets';
import type { ArtifactStore } from '@inferboard/db/artifacts/artifact-store';
import type { CatalogueFollower } from '@inferboard/db/catalogue/follow-catalogue';
import type { Database } from '@inferboard/db/connection/client';
import type { Dataset } from '@inferboard/loadgen/prompts/datasets/load-dataset';
import type { Policy } from '@inferboard/outbound/policy';
import type { Keyring } from '@inferboard/outbound/sealed-secrets';
import type { Log } from '@inferboard/telemetry/log';
import type { Tracing } from '@inferboard/telemetry/tracing';

/** The worker's dependencies, created once at the start of the process. */
export interface WorkerDeps {
  database: Database;
  /** Keeps this process's catalogue in sync with operators' additions. */
  catalogue: CatalogueFollower;
  /** The store of artifact bytes. */
  artifacts: ArtifactStore;
  /** The policy for requests to user-supplied addresses. */
  outbound: Policy;
  /** Opens the credentials of endpoints; null if none are stored. */
  keyring: Keyring | null;
  /** Base URL of links in messages, without a trailing slash. */
  publicUrl: string;
  /** Identifies this process in the log and in the queue. */
  workerId: string;
  log: Log;
  tracing: Tracing;
}

/** Further dependencies of measuring and of judging accounts. */
export interface RunDeps extends WorkerDeps {
  /** Minimum age in days of an established account. */
  establishedAfterDays: number;
  /** Threads that share the requests of a point. */
  runThreads: number;
  /** Seconds that a run waits for the workers that its plan asks for. */
  shareWaitS: number;
  /** False in tests that need no exact times, see `LoadPlan`. */
  warmsUp: boolean;
  /** Loads a prompt dataset on first use. @throws DatasetError */
  loadDataset(id: DatasetId): Promise<Dataset>;
}
