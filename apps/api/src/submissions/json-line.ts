/** A value as JSON that ends with a newline, like every response, so that a shell's prompt starts on a new line. */
export const jsonLine = (value: unknown): string => `${JSON.stringify(value)}\n`;
