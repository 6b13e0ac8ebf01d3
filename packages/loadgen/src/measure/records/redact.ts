const secretCharsMin = 6;

/** Values of headers, and of `Bearer x` the x alone: a server may repeat them in an error. */
export function secretsOf(headers: Readonly<Record<string, string>>): string[] {
  return Object.values(headers)
    .flatMap((value) => [value, ...value.split(/\s+/)])
    .map((value) => value.trim())
    .filter((value) => value.length >= secretCharsMin && !/^(bearer|basic|application\/json)$/i.test(value))
    .sort((a, b) => b.length - a.length);
}

/** A text without these secrets. */
export function redact(text: string, secrets: readonly string[]): string {
  let redacted = text;
  for (const secret of secrets) redacted = redacted.replaceAll(secret, '[redacted]');
  return redacted;
}
