import { concernActions, concernReasons } from '@inferboard/core/concerns';
import type { Concern, Problem } from '../../../lib/api.ts';
import { asWritten, isFromElsewhere, readForm, textOf } from './posted-form.ts';

/** Style and label of a concern's state. */
export const concernTones: Record<Concern['state'], { tone: 'warning' | 'info'; label: string }> = {
  open: { tone: 'info', label: 'Open' },
  upheld: { tone: 'warning', label: 'Upheld' },
  dismissed: { tone: 'info', label: 'Dismissed' },
};

export const reasonLabel = (reason: Concern['reason']): string =>
  concernReasons.find(({ id }) => id === reason)?.label ?? reason;

/** The consequence for the submission, as a sentence; null without one. */
export function actionText({ decision }: Concern): string | null {
  if (decision === null || decision.action === 'none') return null;
  return concernActions.find(({ id }) => id === decision.action)?.meaning ?? null;
}

/** The submitted form, and why it was rejected. */
export interface ConcernForm {
  given: { reason: string; text: string };
  problem: Problem | null;
}

/** Maximum form size, bytes: a text of a thousand characters, each percent-encoded. */
const formBytesMax = 32 * 1024;

const refused = (status: number, code: string, title: string, detail: string): ConcernForm => ({
  given: { reason: '', text: '' },
  problem: { status, code, title, detail },
});

/** Reads the posted form. */
export async function readConcernForm(request: Request): Promise<ConcernForm> {
  if (isFromElsewhere(request))
    return refused(
      403,
      'form_foreign',
      'Sent from another site',
      'Nothing was reported. To report a problem, use the form on this page.',
    );
  const { form, refusal } = await readForm(request, formBytesMax);
  if (refusal === 'too_large')
    return refused(413, 'body_too_large', 'The text is too long', 'Use at most 1,000 characters.');
  if (form === null) return refused(400, 'form_malformed', 'Invalid form', 'Submit the form from this page.');
  return { given: { reason: textOf(form, 'reason'), text: asWritten(textOf(form, 'text')) }, problem: null };
}

/** The error of a field, for the visitor. */
export interface FieldFault {
  field: 'reason' | 'text';
  message: string;
}

export function fieldFaults(problem: Problem | null): FieldFault[] {
  return (problem?.errors ?? []).flatMap(({ pointer, message }): FieldFault[] => {
    if (pointer === '/reason') return [{ field: 'reason', message: 'Choose a reason.' }];
    return pointer === '/text' ? [{ field: 'text', message: `${message.replace(/^text/, 'The text')}.` }] : [];
  });
}
