import { frontierCode } from '../claims/frontier.ts';
import { upheldCode } from '../concerns.ts';
import type { MetricKind } from '../metrics/metric.ts';
import type { ResultStatus } from '../subjects/result.ts';
import { unspecified } from '../subjects/system.ts';

interface JudgedFinding {
  code: string;
  severity: string;
  message: string;
}

/** The parts of a result that determine its outcome, as in API responses. */
export interface JudgedResult {
  kind: MetricKind;
  status: ResultStatus;
  copy_of: string | null;
  system: Record<'model' | 'gpu' | 'quantization', { name: string }>;
  findings: readonly JudgedFinding[];
}

const count = new Intl.NumberFormat('en');

/** The outcome of results, in words. */
export interface Verdict {
  tone: 'good' | 'warn' | 'bad';
  title: string;
  text: string;
  /** The reasons, from the findings' sentences. */
  reasons: string[];
}

/** Codes of findings that keep a result off the boards without being a contradiction. */
const holding: ReadonlySet<string> = new Set([
  ...['gpu_unknown', 'model_unknown', 'engine_unknown'],
  ...[upheldCode, frontierCode],
]);

/** Whether a finding is a reason to quarantine its result. */
export const isHolding = ({ severity, code }: Pick<JudgedFinding, 'severity' | 'code'>): boolean =>
  severity === 'violation' || holding.has(code);

/** An outcome of some of a submission's results. */
interface Outcome {
  tone: Verdict['tone'];
  title: string;
  has(result: JudgedResult): boolean;
  /** The sentence for one result, and for several. */
  says: readonly [one: string, several: string];
  /** Selects the findings that give the reason. */
  reason(finding: JudgedFinding): boolean;
}

const isStatus =
  (status: JudgedResult['status']) =>
  (result: JudgedResult): boolean =>
    result.status === status;
const isCode =
  (code: string) =>
  (finding: JudgedFinding): boolean =>
    finding.code === code;
const noReason = () => false;

/** Each result gets the first outcome that accepts it. The first outcome with results determines the verdict's title. */
const outcomes: readonly Outcome[] = [
  {
    tone: 'warn',
    title: 'Quarantined',
    has: isStatus('quarantined'),
    says: [
      'is kept off the boards until an admin has reviewed it',
      'are kept off the boards until an admin has reviewed them',
    ],
    reason: isHolding,
  },
  {
    tone: 'warn',
    title: 'Not repetitions',
    has: isStatus('not_repetitions'),
    says: [
      'differs too much from the others to be a repetition, so it does not rank',
      'differ too much to be repetitions of each other, so none of them ranks',
    ],
    reason: isCode('not_repetitions'),
  },
  {
    tone: 'warn',
    title: 'Simulated',
    has: isStatus('simulated'),
    says: [
      'was measured on a simulated endpoint, where no model ran, and never ranks',
      'were measured on a simulated endpoint, where no model ran, and never rank',
    ],
    reason: noReason,
  },
  {
    tone: 'warn',
    title: 'Copied',
    has: ({ copy_of }) => copy_of !== null,
    says: [
      'repeats figures that were submitted before, so it does not count',
      'repeat figures that were submitted before, so they do not count',
    ],
    reason: isCode('copied_artifact'),
  },
  {
    tone: 'warn',
    title: 'Provisional',
    has: isStatus('provisional'),
    says: [
      'ranks once its account is established, or an admin vouches for it',
      'rank once their account is established, or an admin vouches for it',
    ],
    reason: noReason,
  },
  {
    tone: 'good',
    title: 'Accepted',
    has: ({ system: { model, gpu, quantization } }) =>
      [model, gpu, quantization].some(({ name }) => name === unspecified),
    says: [
      'leaves its model, GPU or quantization unspecified, so it is compared only with results of the same account',
      'leave their model, GPU or quantization unspecified, so they are compared only with results of the same account',
    ],
    reason: noReason,
  },
  {
    tone: 'good',
    title: 'Accepted',
    has: ({ kind }) => kind === 'training',
    says: [
      'ranks only with other training results, by a training metric; steps and data of a run are not compared',
      'rank only with other training results, by a training metric; steps and data of a run are not compared',
    ],
    reason: noReason,
  },
  {
    tone: 'good',
    title: 'Accepted',
    has: () => true,
    says: ['ranks on the boards', 'rank on the boards'],
    reason: noReason,
  },
];

/** Returns the outcome of the results of a submission that is not retracted. */
export function toOutcome(results: readonly JudgedResult[]): Verdict {
  const groups = Map.groupBy(results, (result) => outcomes.findIndex((outcome) => outcome.has(result)));
  const found = outcomes.flatMap((outcome, place) => {
    const own = groups.get(place) ?? [];
    return own.length === 0 ? [] : [{ outcome, own }];
  });
  const sentences = found.map(({ outcome, own }) => {
    const all = `${count.format(results.length)} ${results.length === 1 ? 'result' : 'results'}`;
    const which = own.length === results.length ? all : `${own.length} of ${all}`;
    return `${which} ${outcome.says[own.length === 1 ? 0 : 1]}.`;
  });
  const reasons = found.flatMap(({ outcome, own }) =>
    own.flatMap(({ findings }) => findings.filter((finding) => outcome.reason(finding)).map(({ message }) => message)),
  );
  const [first] = found;
  return {
    tone: first?.outcome.tone ?? 'good',
    title: first?.outcome.title ?? 'Accepted',
    text: sentences.join(' '),
    reasons: [...new Set(reasons)],
  };
}
