import { type Answer, type ApiDocument, isReference, listOperations, type Parameter, type Reference } from './types.ts';

/** Variants of each named object, with their counts. */
class Variants {
  private readonly counts = new Map<string, Map<string, number>>();

  add(name: string, value: object): void {
    const counts = this.counts.get(name) ?? new Map<string, number>();
    const text = JSON.stringify(value);
    counts.set(text, (counts.get(text) ?? 0) + 1);
    this.counts.set(name, counts);
  }

  /** The most frequent variant of each name, as JSON. Variants that occur once are left out. */
  repeated(): Map<string, string> {
    const found = new Map<string, string>();
    for (const [name, counts] of this.counts) {
      const [most] = [...counts].sort(([, a], [, b]) => b - a);
      if (most !== undefined && most[1] > 1) found.set(name, most[0]);
    }
    return found;
  }
}

/** Errors that are also available as text have separate names. */
const nameOfAnswer = (status: string, answer: Answer | Reference) =>
  `${!isReference(answer) && 'text/plain' in (answer.content ?? {}) ? 'TextProblem' : 'Problem'}${status}`;
const isProblem = (answer: Answer) => 'application/problem+json' in (answer.content ?? {});
/** Path and required parameters stay in the operation, because they are specific to it. */
const isShareable = (parameter: Parameter) => parameter.in !== 'path' && parameter.required !== true;

/** Moves parts that several operations share to `components`: optional parameters, and errors by status. */
export function share(document: ApiDocument): void {
  const [parameters, problems] = [new Variants(), new Variants()];
  const operations = listOperations(document).map(({ operation }) => operation);
  for (const { parameters: given = [], responses } of operations) {
    for (const parameter of given)
      if (!isReference(parameter) && isShareable(parameter)) parameters.add(parameter.name, parameter);
    for (const [status, answer] of Object.entries(responses))
      if (!isReference(answer) && isProblem(answer)) problems.add(nameOfAnswer(status, answer), answer);
  }
  const shared = { parameters: parameters.repeated(), responses: problems.repeated() };
  for (const [kind, texts] of Object.entries(shared)) {
    const values = [...texts].map(([name, text]): [string, object] => [name, JSON.parse(text)]);
    document.components[kind] = { ...document.components[kind], ...Object.fromEntries(values) };
  }
  const refer = <T extends object>(kind: keyof typeof shared, name: string, value: T) =>
    shared[kind].get(name) === JSON.stringify(value) ? { $ref: `#/components/${kind}/${name}` } : value;
  for (const operation of operations) {
    operation.parameters &&= operation.parameters.map((parameter) =>
      isReference(parameter) ? parameter : refer('parameters', parameter.name, parameter),
    );
    const answers = Object.entries(operation.responses);
    operation.responses = Object.fromEntries(
      answers.map(([status, answer]) => [
        status,
        isReference(answer) ? answer : refer('responses', nameOfAnswer(status, answer), answer),
      ]),
    );
  }
}

/** Removes common headers that no response has, such as those of deprecated operations if there are none. */
export function dropUnusedHeaders(document: ApiDocument): void {
  const text = JSON.stringify(document);
  const used = Object.entries(document.components.headers ?? {}).filter(([name]) =>
    text.includes(`"#/components/headers/${name}"`),
  );
  document.components.headers = Object.fromEntries(used);
}
