import { parameterShape } from '@inferboard/core/submission/parameters';
import type { Api, Problem, Submission } from '../../../lib/api.ts';
import { formatBytes } from '../../../lib/format.ts';
import { asWritten, readForm, textOf } from './posted-form.ts';

/** Maximum size of an artifact on the page, bytes; the API accepts more. */
export const pasteBytesMax = 1024 * 1024;
/** Bytes for the other fields of the form and their separators. */
const formBytesMax = pasteBytesMax + 64 * 1024;

const parameterNames = Object.keys(parameterShape);

/** The artifact and the facts of the form. */
export interface Paste {
  artifact: Blob | null;
  /** Content of the text box; empty for a file. */
  text: string;
  fileName: string | null;
  given: Record<string, string>;
  /** All fields; null if the request has no readable form. */
  form: FormData | null;
  problem: Problem | null;
}

const nothing: Paste = { artifact: null, text: '', fileName: null, given: {}, form: null, problem: null };

const refused = (status: number, code: string, title: string, detail: string): Paste => ({
  ...nothing,
  problem: { status, code, title, detail },
});

const tooLarge = () =>
  refused(
    413,
    'body_too_large',
    'The input is too large',
    `This page reads up to ${formatBytes(pasteBytesMax)}. For larger or compressed files, use curl with dry_run=true.`,
  );

/** The input of the page: a paste, or the artifact of a stored submission. */
export interface Shown {
  /** Content of the text box; empty for a file. */
  text: string;
  artifact: Blob | null;
  understood: Submission | null;
  problem: Problem | null;
}

/** A stored submission as if its artifact had been pasted. The text box stays empty for a large or compressed artifact. */
export async function readStored(api: Api, id: string): Promise<Shown> {
  const { data: understood, problem } = await api.getSubmission(id);
  if (understood === null) return { text: '', artifact: null, understood, problem };
  const isShown = understood.artifact.bytes <= pasteBytesMax;
  const { data: artifact } = isShown ? await api.getArtifact(id) : { data: null };
  const text = (await artifact?.text()) ?? '';
  return { text: text.includes('\0') ? '' : text, artifact, understood, problem: null };
}

/** Reads the posted form of the submit page. Returns errors as results. */
export async function readPaste(request: Request): Promise<Paste> {
  const { form, refusal } = await readForm(request, formBytesMax);
  if (refusal === 'too_large') return tooLarge();
  if (form === null) return refused(400, 'form_malformed', 'Invalid form', 'Submit the form from this page.');
  const given = Object.fromEntries(
    parameterNames.flatMap((name) => {
      const value = textOf(form, name).trim();
      return value === '' ? [] : [[name, value]];
    }),
  );
  const file = form.get('file');
  if (file instanceof File && file.size > 0) {
    return file.size > pasteBytesMax
      ? { ...tooLarge(), given }
      : { ...nothing, artifact: file, fileName: file.name, given, form };
  }
  const text = asWritten(textOf(form, 'artifact'));
  const artifact = new Blob([text]);
  if (artifact.size > pasteBytesMax) return { ...tooLarge(), given };
  if (text.trim() !== '') return { ...nothing, artifact, text, given, form };
  return {
    ...refused(422, 'body_empty', 'Nothing to read', 'Paste the tool output, or choose its file.'),
    given,
  };
}
