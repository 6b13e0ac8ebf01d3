import fc from 'fast-check';
import { type Break, type Broken, isProbe, refusedInput } from './breaks.ts';
import { isRepeatable, type Parameter, queryOf, type Schema, valueSchemaOf } from './document.ts';
import { hostileTexts, notNumbers, strangeNames } from './hostile-texts.ts';
import type { Call } from './http.ts';
import { textsOf } from './valid.ts';

type Pair = [name: string, value: string];

/** A call with other values for the parameters of these names. */
function withPairs(call: Call, pairs: Pair[]): Call {
  const names = new Set(pairs.map(([name]) => name));
  return { ...call, query: [...call.query.filter(([name]) => !names.has(name)), ...pairs] };
}

const isNumeric = ({ type }: Schema) => type === 'number' || type === 'integer';

/** Texts that a schema certainly does not allow. */
function wrongTexts(schema: Schema): string[] {
  const {
    type,
    enum: list,
    minimum,
    maximum,
    exclusiveMinimum,
    exclusiveMaximum,
    maxLength,
    minLength = 0,
    format,
  } = schema;
  if (list !== undefined)
    return ['', 'no-such-choice', `${list[0]} `, `${list[0]};${list[1] ?? list[0]}`, '__proto__'].map(
      encodeURIComponent,
    );
  if (isNumeric(schema)) {
    const below = minimum === undefined ? exclusiveMinimum : minimum - 1;
    const above = maximum === undefined ? exclusiveMaximum : maximum + 1;
    // Beyond the precision of a double, adding one does not change the number.
    const outside = [below, above].filter((bound) => bound !== undefined && Math.abs(bound) < 1e12).map(String);
    return ['', ...notNumbers, ...outside, ...(type === 'integer' ? ['1.5', '1e3'] : [])];
  }
  return [
    ...(maxLength === undefined ? [] : ['x'.repeat(maxLength + 1)]),
    ...(minLength > 0 ? ['', '%20%09'] : []),
    ...(format === 'date-time' ? ['now', '2026-02-30T00:00:00Z', '2026-01-01', '9999999-01-01T00:00:00Z', '1'] : []),
  ];
}

const wrongValue = (parameter: Parameter) =>
  fc.constantFrom(...wrongTexts(valueSchemaOf(parameter))).map((value): Pair => [parameter.name, value]);
const hasWrongValues = (parameter: Parameter) => wrongTexts(valueSchemaOf(parameter)).length > 0;

const unknownParameter: Break = ({ operation }) => {
  if (isProbe(operation)) return null;
  const known = new Set(queryOf(operation).map(({ name }) => name));
  const letters = 'abcdefghijklmnopqrstuvwxyz_';
  const typing = fc.string({ unit: fc.constantFrom(...letters), minLength: 2, maxLength: 12 });
  const names = fc
    .oneof(fc.constantFrom(...strangeNames), typing)
    .filter((name) => !known.has(name) && !/key|token|auth|bearer/.test(name));
  return (call) =>
    fc.tuple(names, fc.constantFrom('1', '', '%00', '%ff')).map(
      ([name, value]): Broken => ({
        call: withPairs(call, [[name, value]]),
        how: `the unknown parameter ${name.slice(0, 40)}`,
        statuses: refusedInput,
        named: [name.slice(0, 100)],
      }),
    );
};

const wrongValues: Break = ({ operation }) => {
  const parameters = queryOf(operation).filter(hasWrongValues);
  if (parameters.length === 0) return null;
  // One response lists all errors, so it must name both or all three of them.
  const chosen = fc.subarray(parameters, { minLength: 1, maxLength: Math.min(3, parameters.length) });
  return (call) =>
    chosen
      .chain((some) => fc.tuple(...some.map(wrongValue)))
      .map((pairs): Broken => {
        const how = pairs.map(([name, value]) => `${name}=${value.slice(0, 30)}`).join(', ');
        return { call: withPairs(call, pairs), how, statuses: refusedInput, named: pairs.map(([name]) => name) };
      });
};

const repeated: Break = ({ service, operation }) => {
  const parameters = queryOf(operation).filter((parameter) => !isRepeatable(parameter) && parameter.name !== 'cursor');
  if (parameters.length === 0) return null;
  return (call) =>
    fc.constantFrom(...parameters).chain((parameter) => {
      const { name } = parameter;
      return fc.tuple(textsOf(service, parameter), textsOf(service, parameter)).map(([one, two]): Broken => {
        const pairs = [one, two].map((value): Pair => [name, encodeURIComponent(value)]);
        return { call: withPairs(call, pairs), how: `${name} twice`, statuses: refusedInput, named: [name] };
      });
    });
};

const tooMany: Break = ({ service, operation }) => {
  const parameters = queryOf(operation).filter(
    ({ schema }) => isRepeatable({ schema } as Parameter) && schema.maxItems !== undefined,
  );
  if (parameters.length === 0) return null;
  return (call) =>
    fc.constantFrom(...parameters).chain((parameter) => {
      const most = parameter.schema.maxItems ?? 0;
      return textsOf(service, parameter).map((text): Broken => {
        const pairs = Array.from(
          { length: most + 1 },
          (): Pair => [parameter.name, encodeURIComponent(text.slice(0, 50))],
        );
        const how = `${parameter.name} ${most + 1} times`;
        return { call: withPairs(call, pairs), how, statuses: refusedInput, named: [parameter.name] };
      });
    });
};

const withoutRequired: Break = ({ operation }) => {
  const required = queryOf(operation).filter((parameter) => parameter.required);
  if (required.length === 0) return null;
  return (call) =>
    fc.constantFrom(...required).map(({ name }): Broken => {
      const query = call.query.filter(([given]) => given !== name);
      return { call: { ...call, query }, how: `no ${name}`, statuses: refusedInput, named: [name] };
    });
};

const hostileValue: Break = ({ operation }) => {
  const parameters = queryOf(operation);
  if (parameters.length === 0) return null;
  return (call) =>
    fc.tuple(fc.constantFrom(...parameters), fc.constantFrom(...hostileTexts)).map(
      ([{ name }, { name: how, encoded, isFault }]): Broken => ({
        call: withPairs(call, [[name, encoded]]),
        how: `${how} as ${name}`,
        statuses: isFault ? refusedInput : null,
        named: isFault ? [name] : [],
      }),
    );
};

const flipBit = (text: string, at: number): string => {
  const bytes = Buffer.from(text, 'base64url');
  const index = at % bytes.length;
  bytes[index] = (bytes[index] ?? 0) ^ (1 << (at % 8));
  return bytes.toString('base64url');
};

const badCursor: Break = ({ service, operation }) => {
  if (!queryOf(operation).some(({ name }) => name === 'cursor')) return null;
  const { pages } = service.harvest;
  const own = pages.filter(({ operationId }) => operationId === operation.operationId);
  const others = pages.filter(({ operationId }) => operationId !== operation.operationId);
  const refused = { statuses: refusedInput, named: ['cursor'] };
  const made = (texts: string[]) => texts.map((text) => Buffer.from(text).toString('base64url'));
  const forged = fc.constantFrom(
    ...['', '%00', '!!!', 'z'.repeat(501), 'null', '0', 'W10'],
    ...made(['[]', '{}', '["",null]', '["","\\u0000"]', '[1e999,1]', '{"__proto__":1}', '['.repeat(300)]),
  );
  return (call) =>
    fc.oneof(
      forged.map(
        (cursor): Broken => ({ call: withPairs(call, [['cursor', cursor]]), how: 'a forged cursor', ...refused }),
      ),
      ...(own.length === 0
        ? []
        : [
            fc.tuple(fc.constantFrom(...own), fc.nat(400)).map(([{ query, cursor }, at]): Broken => {
              const cut = cursor.slice(0, at % cursor.length);
              return { call: { ...call, query: [...query, ['cursor', cut]] }, how: 'a cut cursor', ...refused };
            }),
            fc.tuple(fc.constantFrom(...own), fc.nat(4000)).map(([{ query, cursor }, at]): Broken => {
              const flipped: Pair = ['cursor', flipBit(cursor, at)];
              // A modified cursor can still be a valid position in the order.
              return {
                call: { ...call, query: [...query, flipped] },
                how: 'a cursor with a bit flipped',
                statuses: null,
                named: [],
              };
            }),
          ]),
      ...(others.length === 0
        ? []
        : [
            fc.constantFrom(...others).map(({ cursor }): Broken => {
              const how = 'a cursor of another list';
              return { call: withPairs(call, [['cursor', cursor]]), how, ...refused };
            }),
          ]),
    );
};

const keyInQuery: Break = ({ service, operation }) => {
  if (isProbe(operation)) return null;
  const pairs: Pair[] = [
    ['api_key', 'x'],
    ['token', service.keys.submit],
    ['access_token', ''],
    ['model', service.keys.admin.startsWith('ib_') ? service.keys.admin : service.keys.submit],
  ];
  return (call) =>
    fc.constantFrom(...pairs).map(([name, value]): Broken => {
      const how = `a key as ${name}`;
      return { call: withPairs(call, [[name, value]]), how, statuses: [400], named: [name] };
    });
};

export const queryBreaks: readonly Break[] = [
  unknownParameter,
  wrongValues,
  wrongValues,
  repeated,
  tooMany,
  withoutRequired,
  hostileValue,
  hostileValue,
  badCursor,
  keyInQuery,
];
