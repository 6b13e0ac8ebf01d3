/** Descriptions of response headers. */
export const answerHeaders = {
  'X-Request-Id': {
    description: 'Id of this request in the logs: the one you sent, or a new one.',
    schema: { type: 'string', maxLength: 100 },
    example: '5d1f8f5e-2f43-4c58-9d5b-0a6f3b1c7e42',
  },
  ETag: {
    description: 'Tag of these bytes. Send it as If-None-Match to get 304 if nothing has changed.',
    schema: { type: 'string' },
    example: '"2f9a6c0d7be1f6a3c5d8e4b7091a2b3c4d5e6f70"',
  },
  'Cache-Control': {
    description: 'How long the response may be cached without revalidation.',
    schema: { type: 'string' },
    example: 'public, max-age=31536000, immutable, no-transform',
  },
  Location: {
    description: 'URL of the created resource.',
    schema: { type: 'string', format: 'uri' },
    example: 'http://localhost:8787/v1/submissions/sub_0192f0c8a1b27c3d8e4f5a6b7c8d9e0f',
  },
  'Idempotency-Replayed': {
    description: '`true` if a repetition got the first response of its Idempotency-Key.',
    schema: { type: 'string', const: 'true' },
    example: 'true',
  },
  'Content-Disposition': {
    description: 'The response is a file with this name.',
    schema: { type: 'string' },
    example: 'attachment; filename="results.csv"',
  },
  'Repr-Digest': {
    description: 'SHA-256 of the bytes, in the format of RFC 9530.',
    schema: { type: 'string' },
    example: 'sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:',
  },
  'Accept-Ranges': {
    description: 'Range requests are supported.',
    schema: { type: 'string', const: 'bytes' },
    example: 'bytes',
  },
  'Content-Range': {
    description: 'The returned range and the total size.',
    schema: { type: 'string' },
    example: 'bytes 0-1023/2048',
  },
  'Content-Digest': {
    description: 'SHA-256 of the bytes of this response, which may be a part, in the format of RFC 9530.',
    schema: { type: 'string' },
    example: 'sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:',
  },
  Link: {
    description:
      'For a page of a list, the next page (`next`) if there is one, and the first. For every response, the OpenAPI document (`service-desc`) and the reference page of the operation (`describedby`).',
    schema: { type: 'string' },
    example:
      '<http://localhost:8787/v1/results?limit=50&cursor=WyJoSnA1dGtLRnVTdW4iXQ>; rel="next", <http://localhost:8787/openapi.json>; rel="service-desc", <http://localhost:8787/docs/operations/listResults>; rel="describedby"',
  },
  Deprecation: {
    description: 'When the operation was deprecated, in the format of RFC 9745: `@` and seconds since 1970.',
    schema: { type: 'string', pattern: '^@\\d+$' },
    example: '@1793491200',
  },
  Sunset: {
    description: 'When the operation may be removed, in the format of RFC 8594.',
    schema: { type: 'string' },
    example: 'Sat, 01 May 2027 00:00:00 GMT',
  },
  'WWW-Authenticate': {
    description: 'The authentication scheme.',
    schema: { type: 'string', const: 'Bearer' },
    example: 'Bearer',
  },
  'Retry-After': {
    description: 'Seconds to wait before the next request.',
    schema: { type: 'integer', minimum: 0 },
    example: 5,
  },
  'RateLimit-Policy': {
    description: 'The quotas that apply: `q` requests in `w` seconds.',
    schema: { type: 'string' },
    example: '"registrations";q=30;w=3600',
  },
  RateLimit: {
    description: 'What is left of a quota: `r` requests. It is fully restored in `t` seconds.',
    schema: { type: 'string' },
    example: '"registrations";r=29;t=120',
  },
} as const;

export type AnswerHeader = keyof typeof answerHeaders;

/** Headers of a route's response, in addition to the common ones. */
export const sends = (...names: AnswerHeader[]): Record<string, { $ref: string }> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
