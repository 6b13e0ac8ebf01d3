import { DomainError, type Fault } from '@inferboard/core/errors';
import { nearest } from '@inferboard/core/nearest';
import { type Parameters, parameterShape } from '@inferboard/core/submission/parameters';
import type { Context } from 'hono';
import { z } from 'zod';

const FormSchema = z.strictObject(parameterShape);

function formFaults(error: z.ZodError): Fault[] {
  return error.issues.flatMap((issue): Fault[] => {
    if (issue.code !== 'unrecognized_keys') {
      const parameter = String(issue.path[0] ?? '');
      return [{ code: 'parameter_invalid', parameter, message: `${parameter} ${issue.message}` }];
    }
    return issue.keys.map((key) => {
      const meant = nearest(key, [...Object.keys(parameterShape), 'artifact']);
      const hint = meant === null ? {} : { hint: `Did you mean "${meant}"?` };
      return { code: 'parameter_unknown', parameter: key, message: `"${key}" is not a form field here.`, ...hint };
    });
  });
}

async function readForm(c: Context): Promise<FormData> {
  try {
    return await c.req.raw.formData();
  } catch {
    throw new DomainError('request_invalid', 'The multipart body cannot be read.', [
      {
        code: 'form_malformed',
        message: 'The body is not well-formed multipart/form-data.',
        hint: 'Use curl -F artifact=@result.json',
      },
    ]);
  }
}

/** Fields of the form beside those of the query; the same field in both must say the same. */
function mergeParameters(query: Parameters, form: Parameters): Parameters {
  const differing = (Object.keys(form) as (keyof Parameters)[]).filter(
    (name) => form[name] !== undefined && query[name] !== undefined && form[name] !== query[name],
  );
  if (differing.length > 0) {
    throw new DomainError(
      'facts_contradict',
      'The query and the form do not say the same.',
      differing.map((parameter) => ({
        code: 'facts_contradict',
        parameter,
        message: `${parameter} is "${query[parameter]}" in the query and "${form[parameter]}" in the form.`,
        hint: 'Give it once.',
      })),
    );
  }
  const given = Object.entries({ ...query, ...form }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as Parameters;
}

/**
 * The artifact's exact bytes and the words beside it: the raw body whatever its Content-Type says, or the `artifact`
 * part of a multipart form.
 */
export async function readUpload(
  c: Context,
  query: Parameters,
): Promise<{ bytes: Uint8Array; parameters: Parameters }> {
  if (!/^multipart\/form-data/i.test(c.req.header('content-type') ?? '')) {
    const parameters = mergeParameters(query, {} as Parameters);
    return { bytes: new Uint8Array(await c.req.arrayBuffer()), parameters };
  }
  const form = await readForm(c);
  const artifact = form.get('artifact');
  const fields = [...form.entries()].filter(([name]) => name !== 'artifact');
  const files = fields.filter(([, value]) => typeof value !== 'string').map(([name]) => name);
  const parsed = FormSchema.safeParse(Object.fromEntries(fields.filter(([, value]) => typeof value === 'string')));
  const faults: Fault[] = [
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
    ...(parsed.success ? [] : formFaults(parsed.error)),
  ];
  if (faults.length > 0 || artifact === null || !parsed.success) {
    throw new DomainError('request_invalid', 'The form is not valid.', faults);
  }
  const bytes =
    typeof artifact === 'string' ? new TextEncoder().encode(artifact) : new Uint8Array(await artifact.arrayBuffer());
  return { bytes, parameters: mergeParameters(query, parsed.data) };
}
