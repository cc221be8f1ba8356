import { findingsOf, type LintFinding } from './lint-types.js';
import { operationsOf } from '../operations.js';
import { child } from '../schema/pointer.js';
import { asList, asObject, objectsIn } from '../values.js';

/** Rules of OpenAPI 3.1 that its own schema cannot state: path templates, parameters, security names. */
export function lintOperations(document: Record<string, unknown>): LintFinding[] {
  const { findings, breach } = findingsOf('DOC-02');
  const operations = operationsOf(document);
  const shapes = new Map<string, string>();
  const schemes = new Set(Object.keys(asObject(asObject(document['components'])?.['securitySchemes']) ?? {}));
  const security = (node: Record<string, unknown>, pointer: string): void => {
    for (const [index, requirement] of asList(node['security']).entries()) {
      for (const name of Object.keys(asObject(requirement) ?? {})) {
        if (!schemes.has(name))
          breach(
            child(child(pointer, 'security'), index),
            'a security scheme that components.securitySchemes declares',
            JSON.stringify(name),
          );
      }
    }
  };
  for (const [template] of objectsIn(document['paths'])) {
    if (template.startsWith('x-')) continue;
    const shape = template.replace(/\{[^{}]+\}/g, '{}');
    const other = shapes.get(shape);
    if (other !== undefined)
      breach(
        child('/paths', template),
        'path templates that differ in more than parameter names',
        `${template} and ${other}`,
      );
    shapes.set(shape, template);
  }
  security(document, '');
  for (const one of operations) {
    const responses = asObject(one.operation['responses']);
    if (responses !== null && Object.keys(responses).every((name) => name.startsWith('x-')))
      breach(child(one.pointer, 'responses'), 'at least one response', 'none');
    const used = [...one.template.matchAll(/\{([^{}]+)\}/g)].map((found) => found[1] ?? '');
    for (const name of used) {
      if (!one.parameters.some((parameter) => parameter.in === 'path' && parameter.name === name))
        breach(one.pointer, `a declared path parameter for {${name}}`, 'none');
    }
    for (const parameter of one.parameters) {
      if (parameter.in === 'path' && !parameter.required)
        breach(parameter.pointer, 'required: true for a path parameter', JSON.stringify(parameter.name));
      if (parameter.in === 'path' && !used.includes(parameter.name))
        breach(
          parameter.pointer,
          `a path parameter that occurs in ${one.template}`,
          `{${parameter.name}} does not occur there`,
        );
    }
    for (const list of [one.operation['parameters'], one.pathItem['parameters']]) {
      const names = asList(list)
        .map(asObject)
        .filter((entry) => entry !== null && typeof entry['name'] === 'string')
        .map((entry) => `${String(entry?.['in'])} ${String(entry?.['name'])}`);
      const twice = names.find((name, index) => names.indexOf(name) !== index);
      if (twice !== undefined) breach(one.pointer, 'parameters that differ in name or place', `${twice} occurs twice`);
    }
    security(one.operation, one.pointer);
  }
  return findings.slice(0, 20);
}
