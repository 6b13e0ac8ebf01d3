/** Query parameters in a message of the service, as options of the command: "gpu=h100" becomes "--gpu h100". */
export function withOptions(text: string, parameters: readonly string[]): string {
  const name = `(${parameters.join('|')})`;
  const optionOf = (parameter: string) => `--${parameter.replaceAll('_', '-')}`;
  return text
    .replace(new RegExp(`\\b${name}=`, 'g'), (_, parameter: string) => `${optionOf(parameter)} `)
    .replace(
      new RegExp(`\\b(omit|pass) ${name}\\b`, 'gi'),
      (_, verb: string, parameter: string) => `${verb} ${optionOf(parameter)}`,
    );
}
