import { createHash } from 'node:crypto';
import type { Random } from '../../packages/core/src/testing/random.ts';
import type { Row } from '../../packages/db/src/connection/rows.ts';
import { randomOf, zipf } from './chance.ts';
import { idAt } from './ids.ts';
import { drawStyle, drawTool, type Style } from './tools.ts';

/** All submissions are between these two times. */
const [from, to] = [Date.UTC(2024, 6, 1), Date.UTC(2026, 6, 1)];
/** Fraction of retracted uploads. */
const retracted = 0.006;
/** Fraction of uploads with impossible figures. */
const careless = 0.04;
const resultsPerUpload = 1500;
const accountsMax = 400;

export interface Account {
  id: string;
  name: string;
}

/** The accounts of a seed, the most active first. */
export function makeAccounts(seed: number): Account[] {
  const random = randomOf(seed, 1);
  return Array.from({ length: accountsMax }, (_, place) => ({
    id: idAt('acc', from - 86_400_000 + place, place, random),
    name: `lab-${String(place + 1).padStart(3, '0')}`,
  }));
}

/** One uploaded artifact. `taken` counts its results. */
export interface Upload {
  id: string;
  account: string;
  ms: number;
  style: Style;
  isRetracted: boolean;
  isCareless: boolean;
  taken: number;
  isHeld: boolean;
}

/** The uploads of one chunk. A user who measured several of its systems sends them in one upload. */
export function drawUploads(accounts: readonly Account[], results: number, random: Random): Upload[] {
  const drawAccount = zipf(accounts, 0.8);
  return Array.from({ length: Math.max(3, Math.round(results / resultsPerUpload)) }, (_, place) => {
    const ms = Math.floor(random.between(from, to));
    return {
      id: idAt('sub', ms, place, random),
      account: drawAccount(random).id,
      ms,
      style: drawStyle(drawTool(random), random),
      isRetracted: random.chance(retracted),
      isCareless: random.chance(careless),
      taken: 0,
      isHeld: false,
    };
  });
}

const sha256 = (data: string) => createHash('sha256').update(data).digest('hex');

/** An upload's artifact, which states only the source of its results, and its submission. */
export function toUploadRows(upload: Upload): { artifact: Row; submission: Row } {
  const text = JSON.stringify({ generated: upload.id, results: upload.taken });
  const digest = sha256(text);
  const at = new Date(upload.ms).toISOString();
  return {
    artifact: {
      sha256: digest,
      bytes: Buffer.from(text),
      size: text.length,
      media_type: 'application/json',
      created_at: at,
    },
    submission: {
      id: upload.id,
      account_id: upload.account,
      artifact_sha256: digest,
      fingerprint: sha256(JSON.stringify([digest, []])),
      status: upload.isRetracted ? 'retracted' : upload.isHeld ? 'quarantined' : 'accepted',
      tool: upload.style.tool.name,
      tool_version: upload.style.version,
      parameters: {},
      ignored: [],
      notes: null,
      source_url: null,
      retracted_at: upload.isRetracted ? new Date(upload.ms + 86_400_000).toISOString() : null,
      retraction_reason: upload.isRetracted ? 'measured with another build than stated' : null,
      created_at: at,
    },
  };
}
