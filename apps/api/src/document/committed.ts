import { readFileSync } from 'node:fs';
import type { Document } from '../reference/document.ts';
import type { ApiDocument } from './types.ts';

export const documentFile = new URL('../../openapi.json', import.meta.url);

interface Described {
  openapi: string;
  info: { title: string; version: string; description: string; contact: { name: string; url: string } };
  servers: { url: string }[];
}

type CommittedDocument = ApiDocument & Document & Described;

let committed: CommittedDocument | null = null;

/**
 * The committed OpenAPI document with the address of this installation, read once. Generating it from the routes takes most of
 * a second, more than the rest of a start. A test compares it with the routes.
 */
export function committedDocument(publicUrl: string): CommittedDocument {
  committed ??= JSON.parse(readFileSync(documentFile, 'utf8')) as CommittedDocument;
  const { info } = committed;
  return {
    ...committed,
    info: { ...info, contact: { ...info.contact, url: publicUrl } },
    servers: [{ url: publicUrl }],
  };
}
