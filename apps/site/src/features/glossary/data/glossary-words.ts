/** Glossary terms that are not metrics. */
export interface Word {
  id: string;
  word: string;
  means: string;
}

export const words: readonly Word[] = [
  {
    id: 'artifact',
    word: 'Artifact',
    means: 'The exact bytes of a tool’s output, as submitted. The service stores them unchanged under their SHA-256.',
  },
  {
    id: 'submission',
    word: 'Submission',
    means:
      'One artifact with the facts that were sent with it. It is never edited. It can be retracted with a reason and stays readable.',
  },
  {
    id: 'system',
    word: 'System',
    means:
      'What was measured: model, quantization, GPUs and their power limit, engine and its version, parallelism, features.',
  },
  {
    id: 'scenario',
    word: 'Scenario',
    means:
      'The shape of a workload: input tokens, output tokens and data set. A scenario without a name is named after its rounded lengths, such as 200-60.',
  },
  {
    id: 'workload',
    word: 'Workload',
    means:
      'A scenario under a regime. Steady is a closed loop, or an open loop at a rate. Burst is all requests at once. Offline is one static batch, or all requests submitted at the start. Only results of one workload are ranked together.',
  },
  {
    id: 'load',
    word: 'Load',
    means:
      'How requests were sent: a number kept in flight (concurrent), a number at once (burst), a number per second (rate), or one static batch (offline).',
  },
  {
    id: 'point',
    word: 'Point',
    means: 'One system in one workload under one load.',
  },
  {
    id: 'claim',
    word: 'Claim',
    means:
      'What one account reports about a point with one kind of evidence. Its repetitions are summarized. Different claims are never averaged. One claim represents the point on boards.',
  },
  {
    id: 'result',
    word: 'Result',
    means: 'One measured repetition of a point, with its metrics, definitions and findings.',
  },
  { id: 'entry', word: 'Entry', means: 'A row of a board: a system at its best point under the filters.' },
  {
    id: 'definition',
    word: 'Definition',
    means:
      'The formula of a number. Tools use the same word for different formulas. Values of formulas that cannot be compared are never ranked together.',
  },
  {
    id: 'finding',
    word: 'Finding',
    means:
      'A problem that a check found, with its evidence. Violations keep a result off the boards. Warnings and notes are shown with it.',
  },
  {
    id: 'trust',
    word: 'Trust',
    means:
      'The evidence for a claim: measured by Inferboard, replicated by another account, recomputed from the record of every request, published, or only reported by its submitter.',
  },
  {
    id: 'speed-up',
    word: 'Baseline',
    means:
      'The system that ratios are relative to. For a quantization, it is the unquantized system with the same model, GPU and engine.',
  },
];
