import { concernActions, concernReasons } from '@inferboard/core/concerns';
import type { Concern, Problem } from './api.ts';
import { asWritten, isFromElsewhere, readForm, textOf } from './posted-form.ts';

/** What a concern's state looks like, and is called. */
export const concernTones: Record<Concern['state'], { tone: 'warning' | 'info'; label: string }> = {
  open: { tone: 'info', label: 'Open' },
  upheld: { tone: 'warning', label: 'Upheld' },
  dismissed: { tone: 'info', label: 'Dismissed' },
};

export const reasonLabel = (reason: Concern['reason']): string =>
  concernReasons.find(({ id }) => id === reason)?.label ?? reason;

/** What became of the submission, as a sentence; null where nothing did. */
export function actionText({ decision }: Concern): string | null {
  if (decision === null || decision.action === 'none') return null;
  return concernActions.find(({ id }) => id === decision.action)?.meaning ?? null;
}

/** What a visitor wrote into the form, and why it cannot be sent on. */
export interface ConcernForm {
  given: { reason: string; text: string };
  problem: Problem | null;
}

/** The form with a text of a thousand characters, each of them escaped. */
const formBytesMax = 32 * 1024;

const refused = (status: number, code: string, title: string, detail: string): ConcernForm => ({
  given: { reason: '', text: '' },
  problem: { status, code, title, detail },
});

/** The form of the page as it was sent. */
export async function readConcernForm(request: Request): Promise<ConcernForm> {
  if (isFromElsewhere(request))
    return refused(
      403,
      'form_foreign',
      'Another site sent this',
      'Nothing was reported. Write it here, if you mean it.',
    );
  const { form, refusal } = await readForm(request, formBytesMax);
  if (refusal === 'too_large')
    return refused(413, 'body_too_large', 'Too much for the form', 'Say it in a thousand characters.');
  if (form === null) return refused(400, 'form_malformed', 'The form cannot be read', 'Send it from this page.');
  return { given: { reason: textOf(form, 'reason'), text: asWritten(textOf(form, 'text')) }, problem: null };
}

/** What is wrong with a field, in words for whoever fills it in. */
export interface FieldFault {
  field: 'reason' | 'text';
  message: string;
}

export function fieldFaults(problem: Problem | null): FieldFault[] {
  return (problem?.errors ?? []).flatMap(({ pointer, message }): FieldFault[] => {
    if (pointer === '/reason') return [{ field: 'reason', message: 'Choose what is wrong.' }];
    return pointer === '/text' ? [{ field: 'text', message: `${message.replace(/^text/, 'The text')}.` }] : [];
  });
}
