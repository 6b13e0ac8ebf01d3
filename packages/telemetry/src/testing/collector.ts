import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { readProtobufSpans } from './read-protobuf.ts';

export interface CollectedSpan {
  traceId: string;
  spanId: string;
  /** Empty for a root span. */
  parentSpanId: string;
  name: string;
  /** OTLP span kind: 1 internal, 2 server, 3 client. */
  kind: number;
  attributes: Record<string, string | number | boolean>;
  /** OTLP status code 2: error. */
  status: number;
  /** Name of the sending service. */
  service: string;
}

export interface Collector {
  /** Value for `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  url: string;
  spans: CollectedSpan[];
  contentTypes: Set<string>;
  /** All received bytes as text. */
  received(): string;
  until(isThere: (spans: CollectedSpan[]) => boolean): Promise<void>;
  close(): Promise<void>;
}

interface JsonValue {
  stringValue?: string;
  intValue?: number | string;
  doubleValue?: number;
  boolValue?: boolean;
}
type JsonAttributes = { key: string; value: JsonValue }[] | undefined;

const readAttributes = (attributes: JsonAttributes) =>
  Object.fromEntries(
    (attributes ?? []).map(({ key, value }) => {
      const number = value.intValue === undefined ? value.doubleValue : Number(value.intValue);
      return [key, value.stringValue ?? number ?? value.boolValue ?? ''];
    }),
  );

function readJsonSpans(body: Buffer): CollectedSpan[] {
  // The shape that OTLP prescribes. Deviations fail the tests that read the spans.
  const { resourceSpans } = JSON.parse(body.toString()) as {
    resourceSpans: {
      resource: { attributes: JsonAttributes };
      scopeSpans: {
        spans: (Omit<CollectedSpan, 'attributes' | 'status' | 'service'> & {
          attributes: JsonAttributes;
          status?: { code?: number };
        })[];
      }[];
    }[];
  };
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        ...span,
        parentSpanId: span.parentSpanId ?? '',
        attributes: readAttributes(span.attributes),
        status: span.status?.code ?? 0,
        service: String(readAttributes(resource.attributes)['service.name']),
      })),
    ),
  );
}

/** Starts an OTLP receiver over HTTP, in place of a collector. */
export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const contentTypes = new Set<string>();
  const bodies: Buffer[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const type = request.headers['content-type'] ?? '';
    contentTypes.add(type);
    bodies.push(body);
    if (request.method !== 'POST' || request.url !== '/v1/traces') {
      response.writeHead(404).end();
      return;
    }
    spans.push(...(type.includes('json') ? readJsonSpans(body) : readProtobufSpans(body)));
    response.writeHead(200, { 'content-type': type }).end(type.includes('json') ? '{}' : '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    contentTypes,
    received: () => Buffer.concat(bodies).toString('latin1'),
    until: async (isThere) => {
      const deadline = performance.now() + 300_000;
      while (!isThere(spans)) {
        if (performance.now() > deadline) throw new Error(`only ${spans.map(({ name }) => name).join(', ')}`);
        await sleep(50);
      }
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
