import { DomainError, type Fault } from '@inferboard/core/errors';
import { type Parameters, parameterShape } from '@inferboard/core/submission/parameters';
import type { Context } from 'hono';
import { z } from 'zod';
import { toFaults } from '../../http/refuse.ts';
import type { SentSignature } from '../../signing/check-signature.ts';
import { signatureShape } from '../../signing/signing-schema.ts';

/** A boolean in the query. */
const flag = z.enum(['true', 'false'], { error: 'must be true or false' }).optional();
const switches = { dry_run: flag, full: flag };
const FormSchema = z.strictObject({ ...parameterShape, ...signatureShape, ...switches });
const fieldNames = [...Object.keys(FormSchema.shape), 'artifact'];

/** Parameters of the artifact, its signature, and options of the response. */
type Words = Parameters & Partial<Record<keyof typeof signatureShape | keyof typeof switches, string | undefined>>;
const fieldsMax = 100;

/** Fields given twice: choosing one would drop data of the client. */
function repeatedFields(form: FormData): Fault[] {
  const names = [...form.keys()];
  const repeated = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  return [...repeated].map((parameter) => ({
    code: 'parameter_repeated',
    parameter: parameter.slice(0, 100),
    message: `${parameter.slice(0, 100)} may be given only once.`,
  }));
}

async function readForm(c: Context): Promise<FormData> {
  try {
    return await c.req.formData();
  } catch {
    throw new DomainError('request_invalid', 'The multipart body cannot be read.', [
      {
        code: 'form_malformed',
        message: 'The body is not valid multipart/form-data.',
        hint: 'Use curl -F artifact=@result.json',
      },
    ]);
  }
}

/** Merges the fields of the form with those of the query; a field in both must have the same value. */
function mergeWords(query: Words, form: Words): Omit<Upload, 'bytes'> {
  const differing = (Object.keys(form) as (keyof Words)[]).filter(
    (name) => form[name] !== undefined && query[name] !== undefined && form[name] !== query[name],
  );
  if (differing.length > 0) {
    throw new DomainError(
      'facts_contradict',
      'The query and the form contradict each other.',
      differing.map((parameter) => ({
        code: 'facts_contradict',
        parameter,
        message: `${parameter} is "${query[parameter]}" in the query and "${form[parameter]}" in the form.`,
        hint: 'Give it once.',
      })),
    );
  }
  const given = Object.entries({ ...query, ...form }).filter(([, value]) => value !== undefined);
  const { dry_run, full, signing_key: signingKey, signature, ...parameters } = Object.fromEntries(given) as Words;
  return { parameters, signed: { signingKey, signature }, dryRun: dry_run === 'true', isFull: full === 'true' };
}

const packings = new Set(['identity', 'gzip', 'x-gzip', 'zstd']);

/** An artifact is unpacked by its first bytes. Those of other encodings, such as br, would be read as damaged text. */
function refuseEncoding(c: Context): void {
  const encoding = c.req.header('content-encoding')?.trim().toLowerCase();
  if (encoding === undefined || packings.has(encoding)) return;
  const message = `The body has the Content-Encoding "${encoding.slice(0, 100)}", which is not supported.`;
  throw new DomainError('artifact_unreadable', message, [
    {
      code: 'encoding_unsupported',
      message,
      hint: 'Compress the artifact with gzip or zstd, or send it uncompressed.',
    },
  ]);
}

interface Upload {
  bytes: Uint8Array;
  parameters: Parameters;
  signed: SentSignature;
  dryRun: boolean;
  isFull: boolean;
}

/**
 * The artifact's exact bytes and its parameters: the raw body, regardless of its Content-Type, or the `artifact` part of a
 * multipart form.
 */
export async function readUpload(c: Context, query: Words): Promise<Upload> {
  refuseEncoding(c);
  if (!/^multipart\/form-data/i.test(c.req.header('content-type') ?? '')) {
    return { bytes: new Uint8Array(await c.req.arrayBuffer()), ...mergeWords(query, {}) };
  }
  const form = await readForm(c);
  if ([...form.keys()].length > fieldsMax) {
    throw new DomainError('request_invalid', `A form may have at most ${fieldsMax} fields.`, [
      { code: 'form_too_long', message: `The form has more than ${fieldsMax} fields.` },
    ]);
  }
  const artifact = form.get('artifact');
  const fields = [...form.entries()].filter(([name]) => name !== 'artifact');
  const files = fields.filter(([, value]) => typeof value !== 'string').map(([name]) => name);
  const parsed = FormSchema.safeParse(Object.fromEntries(fields.filter(([, value]) => typeof value === 'string')));
  const faults: Fault[] = [
    ...repeatedFields(form),
    ...(artifact === null
      ? [
          {
            code: 'artifact_missing',
            parameter: 'artifact',
            message: 'The form has no field "artifact".',
            hint: 'curl -F artifact=@result.json',
          },
        ]
      : []),
    ...files.map((parameter) => ({
      code: 'parameter_invalid',
      parameter,
      message: `${parameter} must be text, not a file.`,
    })),
    ...(parsed.success ? [] : toFaults(parsed.error.issues, fieldNames, false)),
  ];
  if (faults.length > 0 || artifact === null || !parsed.success) {
    throw new DomainError('request_invalid', 'The form is not valid.', faults);
  }
  const bytes =
    typeof artifact === 'string' ? new TextEncoder().encode(artifact) : new Uint8Array(await artifact.arrayBuffer());
  return { bytes, ...mergeWords(query, parsed.data) };
}
