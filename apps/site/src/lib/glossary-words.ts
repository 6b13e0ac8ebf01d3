/** The words of this service that are no metrics. */
export interface Word {
  id: string;
  word: string;
  means: string;
}

export const words: readonly Word[] = [
  {
    id: 'artifact',
    word: 'Artifact',
    means: 'The exact bytes that a tool wrote and somebody sent. Kept as they are, under their SHA-256.',
  },
  {
    id: 'submission',
    word: 'Submission',
    means:
      'One artifact with what was told beside it. It is never edited: it can be retracted, with a reason, and stays readable.',
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
      'The shape of a workload: how many tokens go in, how many come out, from which data. One without a name of its own is named by its rounded lengths: 200-60.',
  },
  {
    id: 'workload',
    word: 'Workload',
    means:
      'A scenario under a regime: steady (a closed loop, or an open one at a rate), burst (all requests at once) or offline (handed over at the start). Only results of one workload are ranked together.',
  },
  {
    id: 'load',
    word: 'Load',
    means:
      'How the workload was asked: so many requests kept in flight (concurrent), so many at once (burst), so many a second (rate), or one static batch offline.',
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
      'What one account says about a point with one kind of evidence. Its repetitions are summed up; different claims are never averaged. One claim stands for the point on boards.',
  },
  {
    id: 'result',
    word: 'Result',
    means: 'One measured repetition of a point, with its metrics, its definitions and the doubts about it.',
  },
  { id: 'entry', word: 'Entry', means: 'A line of a board: a system at its best point under the filters.' },
  {
    id: 'definition',
    word: 'Definition',
    means:
      'Which formula made a number. Tools use one word for different formulas; values of formulas that cannot be compared never stand in one ranking.',
  },
  {
    id: 'finding',
    word: 'Finding',
    means:
      'A doubt that a check raised, with its evidence. Violations keep a result off the boards; warnings and notes stand beside it.',
  },
  {
    id: 'trust',
    word: 'Trust',
    means:
      'How a claim is backed: measured by us, replicated by another account, recomputed from the record of every request, published, or as its sender reported it.',
  },
  {
    id: 'speed-up',
    word: 'Baseline',
    means:
      'The system that ratios are over. For a quantization it is the unquantized one of the same model, GPU and engine.',
  },
];
