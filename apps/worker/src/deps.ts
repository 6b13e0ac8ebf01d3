import type { DatasetId } from '@inferboard/core/plans/datasets';
import type { ArtifactStore } from '@inferboard/db/artifacts/artifact-store';
import type { Database } from '@inferboard/db/client';
import type { CatalogueFollower } from '@inferboard/db/follow-catalogue';
import type { Dataset } from '@inferboard/loadgen/prompts/datasets/load-dataset';
import type { Policy } from '@inferboard/outbound/policy';
import type { Keyring } from '@inferboard/outbound/sealed-secrets';
import type { Log } from '@inferboard/telemetry/log';
import type { Tracing } from '@inferboard/telemetry/tracing';

/** Everything the worker is made of, built once where the process starts and handed over. */
export interface WorkerDeps {
  database: Database;
  /** Keeps the catalogue of this process as operators left it. */
  catalogue: CatalogueFollower;
  /** Where the bytes of artifacts lie. */
  artifacts: ArtifactStore;
  /** What may be called on behalf of others. */
  outbound: Policy;
  /** Opens the credentials of endpoints; null where none are kept. */
  keyring: Keyring | null;
  /** Base of the links that are handed out, without a trailing slash. */
  publicUrl: string;
  /** Tells this process from others in the log and in the queue. */
  workerId: string;
  log: Log;
  tracing: Tracing;
}

/** What measuring and judging accounts need beside it. */
export interface RunDeps extends WorkerDeps {
  /** The age from which an account of open registration may be established. */
  establishedAfterDays: number;
  /** The data sets that points are asked from, read when they are first needed. @throws DatasetError */
  loadDataset(id: DatasetId): Promise<Dataset>;
}
