import { html } from 'hono/html';
import { acceptsNoKey, isOpenWithRegistration } from '../document/describe-keys.ts';
import { type Answer, type Document, type Parameter, type Place, resolve } from './document.ts';
import { type Markup, page, prose, table } from './page.ts';
import { fieldsOf, typeText } from './schema.ts';
import { tryIt } from './try-it.ts';

/** Maximum length of an example, in characters; the document has the full example. */
const exampleMax = 12_000;

const places = { path: 'in the path', query: 'in the query', header: 'a header' } as Record<string, string>;

function parameterTable(document: Document, parameters: readonly Parameter[]): Markup {
  const rows = parameters.map(
    ({ name, in: place, required = false, description = '', schema = {}, example }) =>
      html`<tr><th scope="row"><code>${name}</code> <span class="fine">${places[place] ?? place}${required ? ', required' : ''}</span></th><td>${typeText(document, schema)}${
        schema.default === undefined
          ? ''
          : html`; <span class="fine">${JSON.stringify(schema.default)} by default</span>`
      }</td><td>${prose(description)}${
        example === undefined ? '' : html` <span class="fine">Such as <code>${[example].flat().join(',')}</code></span>`
      }</td></tr>`,
  );
  return table('Parameters', ['Name', 'Type', 'Meaning'], rows);
}

function fieldTable(document: Document, label: string, schema: object): Markup {
  const rows = fieldsOf(document, schema).map(
    ({ name, type, isRequired, description }) =>
      html`<tr><th scope="row"><code>${name}</code>${isRequired ? '' : html` <span class="fine">optional</span>`}</th><td>${type}</td><td>${prose(description)}</td></tr>`,
  );
  return rows.length === 0 ? html`` : table(label, ['Field', 'Type', 'Meaning'], rows);
}

function exampleBlock(label: string, value: unknown): Markup {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  const isCut = text.length > exampleMax;
  return html`<details><summary>${label}</summary><div class="scroll" role="region" aria-label="${label}" tabindex="0"><pre>${text.slice(0, exampleMax)}${isCut ? '\n…' : ''}</pre></div></details>`;
}

function contentOf(document: Document, label: string, content: Answer['content'] = {}): Markup[] {
  return Object.entries(content).map(([type, { schema = {}, example, examples = {} }]) => {
    const given = example === undefined ? Object.entries(examples) : [['', { value: example }] as const];
    return html`<p><code>${type}</code></p>${fieldTable(document, `${label}, ${type}, fields`, schema)}${given.map(
      ([name, { value }]) => exampleBlock(`${label}, ${type}: example${name === '' ? '' : ` ${name}`}`, value),
    )}`;
  });
}

const isRefusal = (status: string) => Number(status) >= 400;

/** The page of an operation: parameters, responses, and example requests. */
export function operationPage(document: Document, place: Place, baseUrl: string): Markup {
  const { path, method, operation } = place;
  const { operationId, summary = operationId, description = '', security = [], requestBody, responses } = operation;
  const parameters = (operation.parameters ?? []).map((parameter) => resolve<Parameter>(document, parameter));
  const needsKey = security.length > 0;
  const required = isOpenWithRegistration(security)
    ? 'A key is required, unless registration is open.'
    : acceptsNoKey(security)
      ? 'A key is required, or a credential in the body.'
      : needsKey
        ? 'A key is required.'
        : 'No key is required.';
  // A command prints text for people, where the operation has it.
  const hasText = parameters.some(({ name, in: from }) => name === 'format' && from === 'query');
  const command = [
    `curl -sS${method === 'GET' ? '' : ` -X ${method}`}`,
    ...(needsKey ? ['-H "Authorization: Bearer $KEY"'] : []),
    ...(requestBody === undefined ? [] : ['--data-binary @body.json']),
    `'${baseUrl}${path}${hasText ? '?format=text' : ''}'`,
  ].join(' ');
  const answers = Object.entries(responses).map(
    ([status, answer]) => [status, resolve<Answer>(document, answer)] as const,
  );
  const good = answers.filter(([status]) => !isRefusal(status));
  const refusals = answers.filter(([status]) => isRefusal(status));
  return page(
    summary,
    `${method} ${path}: ${summary}.`,
    html`<h1>${summary}</h1>
<p class="address"><code><b>${method}</b> ${path}</code></p>
<p class="lede">${prose(description)}</p>
<p>${required} In the typed client: <code>${operationId}</code>.</p>
<div class="scroll" role="region" aria-label="Command" tabindex="0"><pre><code>${command}</code></pre></div>
${tryIt(document, place) ?? ''}
${parameters.length === 0 ? '' : html`<h2>Parameters</h2>${parameterTable(document, parameters)}`}
${requestBody === undefined ? '' : html`<h2>Body</h2>${contentOf(document, 'Body', requestBody.content)}`}
<h2>Responses</h2>
${good.map(
  ([status, { description: says = '', content }]) =>
    html`<h3>${status}</h3><p>${prose(says)}</p>${contentOf(document, status, content)}`,
)}
<h2>Errors</h2>
<ul>${refusals.map(([status, { description: says = '' }]) => html`<li><b>${status}</b> ${prose(says)}</li>`)}</ul>
<p>Each is a problem document with <a href="/docs/errors">error codes</a>.</p>`,
    baseUrl,
  );
}
