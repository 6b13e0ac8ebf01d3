import fc, { type Arbitrary } from 'fast-check';
import { type Break, type Broken, refusedInput } from './breaks.ts';
import { type Document, type Operation, resolve, type Schema, takesArtifacts } from './document.ts';
import { strangeNames } from './hostile-texts.ts';
import type { Call } from './http.ts';
import { formOf, formType } from './valid.ts';

const jsonOf = ({ requestBody }: Operation) => requestBody?.content['application/json'];

/** The fields of a JSON body, of all variants if it has several. */
function fieldsOf(operation: Operation): Pick<Schema, 'properties' | 'required' | 'additionalProperties'> | undefined {
  const schema = jsonOf(operation)?.schema;
  const [first, ...others] = schema?.anyOf ?? [schema];
  if (first === undefined) return undefined;
  return {
    ...first,
    properties: Object.assign({}, ...others.map((other) => other?.properties), first.properties),
    required: first.required?.filter((name) => others.every((other) => other?.required?.includes(name))) ?? [],
  };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The JSON body of a call, as a mutable object. */
function bodyOf({ body }: Call): Record<string, unknown> {
  const value: unknown = JSON.parse(body?.toString() ?? '{}');
  return isRecord(value) ? value : {};
}

const withText = (call: Call, text: string | Buffer): Call => ({ ...call, body: Buffer.from(text as string) });

/** JSON in which one field has text that JSON.stringify would not write. */
function withRaw(call: Call, field: string, raw: string): Call {
  const others = Object.entries(bodyOf(call)).filter(([name]) => name !== field);
  const text = [
    ...others.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`),
    `${JSON.stringify(field)}:${raw}`,
  ];
  return withText(call, `{${text.join(',')}}`);
}

/** For a union type: values that are invalid for the first type and do not match any other. */
function wrongChoices([first, ...others]: readonly Schema[]): string[] {
  const kinds = others.map(({ type }) => type);
  const isOfOther = (raw: string) =>
    (raw.startsWith('[') && kinds.includes('array')) ||
    (raw.startsWith('{') && kinds.includes('object')) ||
    (raw === 'null' && kinds.includes('null'));
  return first === undefined ? [] : wrongValues(first).filter((raw) => !isOfOther(raw));
}

/** Values, as JSON, that a field's schema does not allow. */
function wrongValues(schema: Schema): string[] {
  return schema.anyOf === undefined ? wrongOf(schema) : wrongChoices(schema.anyOf);
}

function wrongOf({ type, enum: list, minItems = 0, maxItems, minLength = 0, maxLength, items }: Schema): string[] {
  const types: Record<string, string[]> = {
    string: ['1', 'null', '{}', '["x"]', 'true', '1e400', '-0', '"\\u0000"', '"a\\ud800"', '"\\udc00\\ud800"'],
    array: ['"x"', '{}', '1', '[null]', '[[[]]]', '[{"__proto__":1}]'],
    number: ['"1"', 'null', '[]', '1e400', 'NaN'],
    integer: ['"1"', 'null', '1.5', '1e400', 'NaN'],
    boolean: ['"true"', '1', 'null'],
    object: ['"x"', '["x"]', '1', 'true'],
  };
  return [
    ...(types[Array.isArray(type) ? (type[0] ?? '') : (type ?? '')] ?? []),
    ...(list === undefined ? [] : ['"no-such-choice"', '"__proto__"', '""']),
    ...(minLength > 0 ? ['""', '"  "'] : []),
    ...(maxLength === undefined ? [] : [JSON.stringify('x'.repeat(maxLength + 1))]),
    ...(minItems > 0 ? ['[]'] : []),
    ...(maxItems === undefined || maxItems > 100
      ? []
      : [JSON.stringify(Array(maxItems + 1).fill(items?.enum?.[0] ?? 'x'))]),
  ];
}

const wrongField = (document: Document, [name, property]: [string, Schema]): Arbitrary<[string, string]> =>
  fc.constantFrom(...wrongValues(resolve(property, document))).map((raw) => [name, raw]);

/** Whether every parser accepts it as JSON; the error of other input names its line instead of the field. */
const isText = (raw: string) => !/\\u0000|\\ud[89a-f]|NaN|__proto__/i.test(raw);

const wrongFields: Break = ({ service, operation }) => {
  const fields = Object.entries(fieldsOf(operation)?.properties ?? {});
  if (fields.length === 0) return null;
  return (call) =>
    fc
      .constantFrom(...fields)
      .chain((field) => wrongField(service.document, field))
      .map(
        ([name, raw]): Broken => ({
          call: withRaw(call, name, raw),
          how: `${name}: ${raw.slice(0, 40)}`,
          statuses: refusedInput,
          named: isText(raw) ? [`/${name}`] : [],
        }),
      );
};

const withoutField: Break = ({ operation }) => {
  const required = fieldsOf(operation)?.required ?? [];
  if (required.length === 0) return null;
  return (call) =>
    fc.constantFrom(...required).map((name): Broken => {
      const { [name]: _, ...rest } = bodyOf(call);
      return {
        call: withText(call, JSON.stringify(rest)),
        how: `no ${name}`,
        statuses: refusedInput,
        named: [`/${name}`],
      };
    });
};

const unknownField: Break = ({ operation }) => {
  if (fieldsOf(operation)?.additionalProperties !== false) return null;
  return (call) =>
    fc.tuple(fc.constantFrom(...strangeNames), fc.constantFrom('1', 'null', '{}', '[]')).map(
      ([name, raw]): Broken => ({
        call: withRaw(call, name, raw),
        how: `the unknown field ${name.slice(0, 40)}`,
        statuses: refusedInput,
        // Some forms of `__proto__` make JSON parsers reject the whole object.
        named: name === '__proto__' ? [] : [`/${name.slice(0, 100)}`],
      }),
    );
};

const brokenJson: Break = ({ operation }) => {
  if (jsonOf(operation) === undefined) return null;
  const texts = [
    '',
    '{',
    'null',
    '[]',
    '1',
    '"x"',
    '{"a":1}{"b":2}',
    "{'a':1}",
    '{"a":undefined}',
    '\u0000',
    '{"a":1,}',
    '[1e400]',
    'NaN',
    '-0',
  ];
  const deep = ['['.repeat(5000), '{"a":'.repeat(2000), `{"name":${'['.repeat(1000)}${']'.repeat(1000)}}`];
  const bytes = [
    Buffer.from([0xff, 0xfe, 0x7b, 0]),
    Buffer.from('{"name":"\xc0\xaf"}', 'latin1'),
    Buffer.from('{"name":"\xed\xa0\x80"}', 'latin1'),
    Buffer.from('{}', 'utf16le'),
  ];
  const fixed = fc.constantFrom(
    ...texts.map((text) => Buffer.from(text)),
    ...deep.map((text) => Buffer.from(text)),
    ...bytes,
  );
  return (call) => {
    const whole = call.body ?? Buffer.from('{}');
    const cut = fc.nat(Math.max(whole.length - 2, 0)).map((at) => whole.subarray(0, at));
    const twice = fc.constant(Buffer.from(whole.toString().replace(/^\{("[^"]+":)/, '{$1null,$1')));
    const broken = fc.oneof(
      { weight: 3, arbitrary: fixed },
      { weight: 2, arbitrary: cut },
      { weight: 1, arbitrary: twice },
    );
    // An empty body is valid where no body is required.
    const isValid = (body: Buffer) =>
      body.equals(whole) || (body.length === 0 && operation.requestBody?.required !== true);
    return broken
      .filter((body) => !isValid(body))
      .map((body): Broken => ({ call: { ...call, body }, how: 'broken JSON', statuses: refusedInput, named: [] }));
  };
};

const wrongType: Break = ({ operation }) => {
  if (jsonOf(operation) === undefined) return null;
  const types = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/xml',
    'multipart/form-data',
    'json',
    'application/jsonp',
    '\u00ff/\u00ff',
  ];
  return (call) =>
    fc.constantFrom(...types).map(
      (type): Broken => ({
        call: { ...call, headers: { ...call.headers, 'content-type': type } },
        how: `JSON as ${type}`,
        statuses: [415],
        named: [],
      }),
    );
};

const tooLarge: Break = ({ operation }) => {
  if (jsonOf(operation) === undefined) return null;
  const body = Buffer.from(`{"name":"${'x'.repeat(1_100_000)}"}`);
  return (call) =>
    fc.constant<Broken>({ call: { ...call, body }, how: 'a body of a megabyte', statuses: [413], named: [] });
};

const hostileArtifacts = [
  '',
  '\u0000',
  '\ufeff',
  '{"schema":"inferboard/v1"}',
  '{"schema":"inferboard/v1","system":{"__proto__":1},"results":[]}',
  '['.repeat(20_000),
  '{"a":'.repeat(20_000),
  '{"a":1e400}',
  '\u001f\u008b\u0008',
  '(\u00b5/\u00fd',
  '| a | b |\n|---|---|\n',
  '-0',
  'NaN',
  'x'.repeat(100_000),
] as const;

const brokenArtifact: Break = ({ operation }) => {
  if (!takesArtifacts(operation)) return null;
  const fixed = hostileArtifacts.map((text) => Buffer.from(text, 'latin1'));
  return (call) =>
    fc.oneof(
      fc.tuple(fc.constantFrom(...fixed), fc.boolean()).map(([artifact, asForm]): Broken => {
        const type = asForm ? formType : 'text/plain';
        const body = asForm ? formOf(artifact, []) : artifact;
        return {
          call: { ...call, body, headers: { ...call.headers, 'content-type': type } },
          how: 'an artifact that is none',
          statuses: refusedInput,
          named: [],
        };
      }),
      // A truncated log can still be a valid log.
      fc.tuple(fc.nat(20_000), fc.integer({ min: 0, max: 255 })).map(([at, byte]): Broken => {
        const body = Buffer.from(call.body ?? '');
        const cut = at % 2 === 0 ? body.subarray(0, at % Math.max(body.length, 1)) : body;
        if (cut.length > 0) cut[at % cut.length] = byte;
        return { call: { ...call, body: cut }, how: 'an artifact cut or changed in a byte', statuses: null, named: [] };
      }),
    );
};

const brokenForm: Break = ({ operation }) => {
  if (!takesArtifacts(operation)) return null;
  const artifact = Buffer.from('{}');
  const whole = formOf(artifact, []);
  const forms: [how: string, type: string, body: Buffer, named: string[]][] = [
    ['a form without an end', formType, whole.subarray(0, whole.length - 8), []],
    ['a form without a boundary', 'multipart/form-data', whole, []],
    ['a form of another boundary', 'multipart/form-data; boundary=other', whole, []],
    ['a form of nothing', formType, Buffer.alloc(0), []],
    ['a form with an unknown field', formType, formOf(artifact, [['modle', 'x']]), ['modle']],
    ['a form with __proto__', formType, formOf(artifact, [['__proto__', 'x']]), ['__proto__']],
    [
      'a form with a field twice',
      formType,
      formOf(artifact, [
        ['notes', 'x'],
        ['notes', 'y'],
      ]),
      ['notes'],
    ],
    ['a form with U+0000', formType, formOf(artifact, [['notes', 'a\u0000']]), ['notes']],
    ['a form with two artifacts', formType, formOf(artifact, [['artifact', '{}']]), ['artifact']],
  ];
  return (call) =>
    fc.constantFrom(...forms).map(
      ([how, type, body, named]): Broken => ({
        call: { ...call, body, headers: { ...call.headers, 'content-type': type } },
        how,
        statuses: refusedInput,
        named,
      }),
    );
};

export const bodyBreaks: readonly Break[] = [
  wrongFields,
  wrongFields,
  withoutField,
  unknownField,
  brokenJson,
  wrongType,
  tooLarge,
  brokenArtifact,
  brokenForm,
];
