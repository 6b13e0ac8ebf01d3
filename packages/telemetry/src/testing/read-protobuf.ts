import type { CollectedSpan } from './collector.ts';

type Fields = Map<number, (Buffer | bigint)[]>;

/** Parses the fields of a protobuf message by number. Supports bytes and integers. */
function readFields(bytes: Buffer): Fields {
  const fields: Fields = new Map();
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error('the message breaks off');
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  const take = (length: number) => {
    if (at + length > bytes.length) throw new Error('the message breaks off');
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const [field, wire] = [tag >> 3, tag & 7];
    const value =
      wire === 0 ? varint() : wire === 1 ? take(8) : wire === 2 ? take(Number(varint())) : wire === 5 ? take(4) : null;
    if (value === null) throw new Error(`wire type ${wire}`);
    fields.set(field, [...(fields.get(field) ?? []), value]);
  }
  return fields;
}

const messages = (fields: Fields, field: number) => (fields.get(field) ?? []).filter((value) => Buffer.isBuffer(value));
const text = (fields: Fields, field: number, encoding: BufferEncoding = 'utf8') =>
  messages(fields, field)[0]?.toString(encoding) ?? '';
const number = (fields: Fields, field: number) => Number((fields.get(field) ?? [0n])[0]);

function readAttributes(fields: Fields, field: number): CollectedSpan['attributes'] {
  return Object.fromEntries(
    messages(fields, field).map((bytes) => {
      const attribute = readFields(bytes);
      const value = readFields(messages(attribute, 2)[0] ?? Buffer.alloc(0));
      const [double] = messages(value, 4);
      if (value.has(1)) return [text(attribute, 1), text(value, 1)];
      if (value.has(2)) return [text(attribute, 1), number(value, 2) === 1];
      return [text(attribute, 1), double === undefined ? number(value, 3) : double.readDoubleLE()];
    }),
  );
}

/** The spans of an `ExportTraceServiceRequest`, by OTLP field number. */
export function readProtobufSpans(body: Buffer): CollectedSpan[] {
  return messages(readFields(body), 1).flatMap((resourceSpans) => {
    const of = readFields(resourceSpans);
    const resource = readFields(messages(of, 1)[0] ?? Buffer.alloc(0));
    const service = String(readAttributes(resource, 1)['service.name']);
    return messages(of, 2).flatMap((scopeSpans) =>
      messages(readFields(scopeSpans), 2).map((bytes) => {
        const span = readFields(bytes);
        return {
          traceId: text(span, 1, 'hex'),
          spanId: text(span, 2, 'hex'),
          parentSpanId: text(span, 4, 'hex'),
          name: text(span, 5),
          kind: number(span, 6),
          attributes: readAttributes(span, 9),
          status: number(readFields(messages(span, 15)[0] ?? Buffer.alloc(0)), 3),
          service,
        };
      }),
    );
  });
}
