import { type Load, loadKey } from '../../../packages/core/src/subjects/load.ts';
import type { Random } from '../../../packages/core/src/testing/random.ts';
import { workloadOf } from '../../../packages/core/src/workloads/workload.ts';
import { type Row, toResultRow, toSystemRow } from '../../../packages/db/src/connection/rows.ts';
import { randomOf, weighted } from '../chance.ts';
import { idAt } from '../ids.ts';
import { type Sample, SweepJudge } from '../judging.ts';
import type { Chunk, PlannedSystem, Sweep } from '../plan.ts';
import { type Placed, sumUp } from '../points.ts';
import { measure, type Task } from '../results.ts';
import { speedOf } from '../speed.ts';
import { type Account, drawUploads, toUploadRows, type Upload } from '../uploads.ts';
import { workloads } from '../workloads.ts';

/** The rows of a chunk, by table. */
export interface ChunkRows {
  systems: Row[];
  points: Row[];
  artifacts: Row[];
  submissions: Row[];
  results: Row[];
  point_statistics: Row[];
}

export interface Origin {
  seed: number;
  accounts: readonly Account[];
  sample: Sample;
}

/** Number of uploads with results of one system. */
const drawSessions = weighted([
  [1, 70],
  [2, 18],
  [3, 7],
  [4, 3],
  [5, 1],
  [6, 1],
]);
/** Fraction of impossible results in a careless upload. */
const wrong = 0.15;
const [efficiencyLow, efficiencyHigh] = [0.3, 0.8];

interface Session {
  upload: Upload;
  judge: SweepJudge;
}

function drawInvolved(uploads: readonly Upload[], random: Random): Upload[] {
  const count = Math.min(drawSessions(random), uploads.length);
  const first = random.whole(0, uploads.length - 1);
  return Array.from({ length: count }, (_, place) => uploads[(first + place) % uploads.length]).filter(
    (upload) => upload !== undefined,
  );
}

/** Adds one result with its row at the next index of its upload. */
function place({ upload, judge }: Session, task: Task, pointId: number, random: Random): Placed {
  const isWrong = upload.isCareless && random.chance(wrong);
  const result = judge.check(measure(task, isWrong, random), isWrong);
  if (result.status === 'quarantined') upload.isHeld = true;
  if (upload.isRetracted) result.status = 'retracted';
  const { ordinal, ms } = task;
  const id = idAt('res', ms, ordinal, random);
  const row: Row = toResultRow(result, {
    submissionId: upload.id,
    accountId: upload.account,
    ordinal,
    pointId,
    copyOf: null,
    copyReason: null,
  });
  row.id = id;
  row.created_at = new Date(ms).toISOString();
  return { id, account: upload.account, result, row };
}

interface Made {
  points: Row[];
  results: Row[];
  point_statistics: Row[];
}

function makeSweep(
  {
    system,
    systemId,
    speed,
    sweep,
    sessions,
  }: {
    system: PlannedSystem['system'];
    systemId: string;
    speed: Task['speed'];
    sweep: Sweep;
    sessions: readonly Session[];
  },
  made: Made,
  nextPoint: () => number,
  random: Random,
): void {
  const workload = workloads[sweep.workload - 1];
  if (workload === undefined) throw new Error(`there is no workload ${sweep.workload}`);
  for (const [level, count] of sweep.levels) {
    const load: Load = { mode: 'concurrency', level };
    const ranked = workloadOf({ kind: 'serving', scenario: workload.scenario, load });
    const pointId = nextPoint();
    made.points.push({
      id: pointId,
      system_id: systemId,
      scenario_id: workload.id,
      kind: 'serving',
      load_mode: load.mode,
      load_level: load.level,
      load_detail: {},
      load_key: loadKey(load),
      workload: ranked.id,
      regime: ranked.regime,
    });
    const placed: Placed[] = [];
    for (let at = 0; at < count; at += 1) {
      const session = sessions[at % sessions.length];
      if (session === undefined) throw new Error('a system that nobody measured');
      const { upload } = session;
      const repetition = count > sessions.length ? Math.floor(at / sessions.length) + 1 : null;
      const { style, ms, taken: ordinal } = upload;
      upload.taken += 1;
      const task: Task = { system, speed, workload, level, repetition, style, ordinal, ms };
      placed.push(place(session, task, pointId, random));
    }
    made.point_statistics.push(...sumUp(placed, pointId, system));
    for (const { row } of placed) made.results.push(row);
  }
}

/** All rows of a chunk. They do not depend on the thread that makes them. */
export function makeChunk(chunk: Chunk, { seed, accounts, sample }: Origin): ChunkRows {
  const random = randomOf(seed, 2 * chunk.place + 3);
  const uploads = drawUploads(accounts, chunk.results, random);
  const made: Made = { points: [], results: [], point_statistics: [] };
  let pointId = chunk.firstPoint;
  const nextPoint = () => pointId++;
  const systems = chunk.systems.map(({ system, sweeps }) => {
    const row = toSystemRow(system);
    const speed = speedOf(system, random.between(efficiencyLow, efficiencyHigh));
    const involved = drawInvolved(uploads, random);
    for (const sweep of sweeps) {
      const sessions = involved.map((upload) => ({ upload, judge: new SweepJudge(sample) }));
      makeSweep({ system, systemId: row.id, speed, sweep, sessions }, made, nextPoint, random);
    }
    return { ...row, created_at: new Date(Math.min(...involved.map(({ ms }) => ms))).toISOString() };
  });
  const sent = uploads.filter(({ taken }) => taken > 0).map(toUploadRows);
  return {
    systems,
    ...made,
    artifacts: sent.map(({ artifact }) => artifact),
    submissions: sent.map(({ submission }) => submission),
  };
}
