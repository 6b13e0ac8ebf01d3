/** Headers of answers: what each tells, once. */
export const answerHeaders = {
  'X-Request-Id': {
    description: 'Names this request in our logs: the one you sent, or a new one.',
    schema: { type: 'string', maxLength: 100 },
    example: '5d1f8f5e-2f43-4c58-9d5b-0a6f3b1c7e42',
  },
  ETag: {
    description: 'Tag of exactly these bytes. Sent back as If-None-Match it gets 304 while nothing has changed.',
    schema: { type: 'string' },
    example: '"2f9a6c0d7be1f6a3c5d8e4b7091a2b3c4d5e6f70"',
  },
  'Cache-Control': {
    description: 'How long an answer may be kept without asking again.',
    schema: { type: 'string' },
    example: 'public, max-age=31536000, immutable, no-transform',
  },
  Location: {
    description: 'Address of what was made.',
    schema: { type: 'string', format: 'uri' },
    example: 'http://localhost:8787/v1/submissions/sub_0192f0c8a1b27c3d8e4f5a6b7c8d9e0f',
  },
  'Idempotency-Replayed': {
    description: '`true` where a repetition got the first answer of its Idempotency-Key.',
    schema: { type: 'string', const: 'true' },
    example: 'true',
  },
  'Content-Disposition': {
    description: 'The answer is a file, under this name.',
    schema: { type: 'string' },
    example: 'attachment; filename="results.csv"',
  },
  'Repr-Digest': {
    description: 'SHA-256 of the bytes, as RFC 9530 writes it.',
    schema: { type: 'string' },
    example: 'sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:',
  },
  'Accept-Ranges': {
    description: 'Parts of the answer can be asked for, by Range.',
    schema: { type: 'string', const: 'bytes' },
    example: 'bytes',
  },
  'Content-Range': {
    description: 'Which bytes these are, and of how many.',
    schema: { type: 'string' },
    example: 'bytes 0-1023/2048',
  },
  'Content-Digest': {
    description: 'SHA-256 of the bytes of this answer, which may be a part, as RFC 9530 writes it.',
    schema: { type: 'string' },
    example: 'sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:',
  },
  Link: {
    description: 'Address of the next page, where there is one.',
    schema: { type: 'string' },
    example: '<http://localhost:8787/v1/results?limit=50&cursor=WyJoSnA1dGtLRnVTdW4iXQ>; rel="next"',
  },
  'WWW-Authenticate': {
    description: 'How to show a key.',
    schema: { type: 'string', const: 'Bearer' },
    example: 'Bearer',
  },
  'Retry-After': {
    description: 'Seconds to wait before asking again.',
    schema: { type: 'integer', minimum: 0 },
    example: 5,
  },
  'RateLimit-Policy': {
    description: 'The quotas that apply: `q` requests in `w` seconds.',
    schema: { type: 'string' },
    example: '"registrations";q=30;w=3600',
  },
  RateLimit: {
    description: 'What is left of a quota: `r` requests, until it is whole again in `t` seconds.',
    schema: { type: 'string' },
    example: '"registrations";r=29;t=120',
  },
} as const;

export type AnswerHeader = keyof typeof answerHeaders;

/** Headers that an answer of a route carries, beside those that all carry. */
export const sends = (...names: AnswerHeader[]): Record<string, { $ref: string }> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
