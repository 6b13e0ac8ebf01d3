import type { KnownLoad } from '../../subjects/load.ts';
import type { ParsedResult, ReaderNote, Tolerance } from '../adapter.ts';
import { findUnitDoubt } from './benchmark-report-doubts.ts';
import type { ReadFigures } from './benchmark-report-figures.ts';
import type { Report } from './benchmark-report-open.ts';

/** Factor between the available time and the sum of the times per token; null unless it is about two. */
function findDoubled({ figures, sections }: Report, meanOutput: number | null): number | null {
  if (sections.harness !== 'inference-perf' || meanOutput === null || meanOutput < 2) return null;
  const [e2e, ttft, tpot] = (['e2e_ms_mean', 'ttft_ms_mean', 'tpot_ms_mean'] as const).map((name) =>
    figures.metrics.get(name),
  );
  if (e2e === undefined || ttft === undefined || tpot === undefined) return null;
  const ratio = (e2e - ttft) / ((meanOutput - 1) * tpot);
  return ratio > 1.7 && ratio < 2.3 ? ratio : null;
}

function toNotes(report: Report, read: ReadFigures, load: KnownLoad | null, doubled: number | null): ReaderNote[] {
  const notes: ReaderNote[] = [];
  const { figures, engines } = report;
  const addNote = (code: string, severity: ReaderNote['severity'], message: string, evidence = {}) =>
    notes.push({ code, severity, message, evidence });
  if (load === null) addNote('load_unknown', 'warning', 'The artifact does not state how the requests were sent.');
  if (report.load.isMultiTurn)
    addNote('multi_turn', 'info', 'The requests were turns of conversations: each includes the previous turns.');
  if (report.media.length > 0)
    addNote(
      'media_in_requests',
      'info',
      `The requests contained media in addition to text: ${report.media.join(', ')}.`,
    );
  const incomplete = figures.extra.requests_incomplete ?? 0;
  if (incomplete > 0)
    addNote('requests_incomplete', 'info', `${incomplete} requests neither succeeded nor failed: they were cut off.`, {
      incomplete,
    });
  const models = new Set(engines.flatMap(({ model }) => model ?? []));
  if (models.size > 1 && report.named.model === null)
    addNote(
      'models_mixed',
      'warning',
      `The engines serve ${models.size} models, so the figures do not belong to a single model.`,
    );
  if (doubled !== null)
    addNote(
      'tokens_counted_twice',
      'warning',
      'The times per token are about half of what latency and output length imply: inference-perf counted a start token with every chunk.',
      { ratio: doubled },
    );
  const doubt =
    read.latencyUnit === null
      ? null
      : findUnitDoubt({ metrics: figures.metrics, load, meanOutput: read.meanOutput, unit: read.latencyUnit });
  return doubt === null ? notes : [...notes, doubt];
}

function toTolerance({ figures, sections }: Report, doubled: number | null): { tolerance?: Tolerance } {
  if (doubled !== null)
    return { tolerance: { share: 1, reason: 'Tokens of a chunk were counted with a start token each.' } };
  if (sections.harness !== 'guidellm') return {};
  // With few requests, the one or two at the edges of the window exceed the usual share.
  const share = Math.max(0.05, Math.min(0.5, 2.2 / (figures.metrics.get('requests_ok') ?? 22)));
  const reason = 'GuideLLM computes its rates from token times, not from totals over the duration.';
  return { tolerance: { share, reason } };
}

/** Notes for readers of the result, and the tolerance that its load generator requires. */
export function notesAndTolerance(
  report: Report,
  read: ReadFigures,
  load: KnownLoad | null,
): Pick<ParsedResult, 'notes' | 'tolerance'> {
  const doubled = findDoubled(report, read.meanOutput);
  return { notes: toNotes(report, read, load, doubled), ...toTolerance(report, doubled) };
}
