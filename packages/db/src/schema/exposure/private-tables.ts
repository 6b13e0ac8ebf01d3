import { getTableName } from 'drizzle-orm';
import { apiKeys, settings } from '../accounts.ts';
import { auditLog } from '../audit-log.ts';
import {
  boardFigures,
  boardPoints,
  boardRows,
  boardSystems,
  boards,
  boardTotals,
  pointShapes,
  toolScatter,
} from '../boards.ts';
import { dataVersions } from '../data-versions.ts';
import { idempotencyKeys } from '../idempotency.ts';
import { priceLists } from '../price-lists.ts';
import { rateLimits } from '../rate-limits.ts';
import { notifiedRegressions, regressionChecks } from '../regressions.ts';
import { endpointUsage, runShares } from '../runs.ts';
import { sessions, signInLinks, submissionClaims } from '../sessions.ts';
import { targetLeases, targetUsage } from '../targets.ts';
import { boardFirsts, webhookDeliveries, webhooks } from '../webhooks.ts';

/** Tables that are never exported, in full. */
export const privateTables: readonly string[] = [
  apiKeys,
  auditLog,
  boardFigures,
  boardFirsts,
  boardPoints,
  boardRows,
  boards,
  boardSystems,
  boardTotals,
  dataVersions,
  endpointUsage,
  idempotencyKeys,
  pointShapes,
  priceLists,
  rateLimits,
  regressionChecks,
  runShares,
  sessions,
  settings,
  signInLinks,
  submissionClaims,
  targetLeases,
  targetUsage,
  notifiedRegressions,
  toolScatter,
  webhookDeliveries,
  webhooks,
].map(getTableName);
