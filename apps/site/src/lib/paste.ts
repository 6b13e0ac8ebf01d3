import { parameterShape } from '@inferboard/core/submission/parameters';
import type { Api, Problem, Submission } from './api.ts';
import { formatBytes } from './format.ts';
import { asWritten, readForm, textOf } from './posted-form.ts';

/** Bytes of an artifact that the page takes; the API takes more. */
export const pasteBytesMax = 1024 * 1024;
/** The form around an artifact: its other fields and what separates them. */
const formBytesMax = pasteBytesMax + 64 * 1024;

const parameterNames = Object.keys(parameterShape);

/** What a visitor pasted or chose, and said beside it. */
export interface Paste {
  artifact: Blob | null;
  /** As it goes back into the box; of a file nothing does. */
  text: string;
  fileName: string | null;
  given: Record<string, string>;
  problem: Problem | null;
}

const nothing: Paste = { artifact: null, text: '', fileName: null, given: {}, problem: null };

const refused = (status: number, code: string, title: string, detail: string): Paste => ({
  ...nothing,
  problem: { status, code, title, detail },
});

const tooLarge = () =>
  refused(
    413,
    'body_too_large',
    'Too much for the page',
    `The page reads ${formatBytes(pasteBytesMax)}. With curl, dry_run=true reads larger files, and packed ones.`,
  );

/** What the page shows: a paste, or what was read of a stored submission. */
export interface Shown {
  /** As it goes back into the box; of a file nothing does. */
  text: string;
  artifact: Blob | null;
  understood: Submission | null;
  problem: Problem | null;
}

/** A stored submission with its artifact as if it had been pasted; of large or packed ones the text stays away. */
export async function readStored(api: Api, id: string): Promise<Shown> {
  const { data: understood, problem } = await api.getSubmission(id);
  if (understood === null) return { text: '', artifact: null, understood, problem };
  const isShown = understood.artifact.bytes <= pasteBytesMax;
  const { data: artifact } = isShown ? await api.getArtifact(id) : { data: null };
  const text = (await artifact?.text()) ?? '';
  return { text: text.includes('\0') ? '' : text, artifact, understood, problem: null };
}

/** The form of the submit page as it was sent. Whatever is wrong with it is an answer too. */
export async function readPaste(request: Request): Promise<Paste> {
  const { form, refusal } = await readForm(request, formBytesMax);
  if (refusal === 'too_large') return tooLarge();
  if (form === null) return refused(400, 'form_malformed', 'The form cannot be read', 'Send it from this page.');
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
      : { ...nothing, artifact: file, fileName: file.name, given };
  }
  const text = asWritten(textOf(form, 'artifact'));
  const artifact = new Blob([text]);
  if (artifact.size > pasteBytesMax) return { ...tooLarge(), given };
  if (text.trim() !== '') return { ...nothing, artifact, text, given };
  return {
    ...refused(
      422,
      'body_empty',
      'There is nothing to read',
      'Paste what the tool printed, or choose the file that it wrote.',
    ),
    given,
  };
}
