/** A value as JSON that ends with a newline, as every answer does: a shell that printed it begins its prompt on a new line. */
export const jsonLine = (value: unknown): string => `${JSON.stringify(value)}\n`;
