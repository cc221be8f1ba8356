import { findingsOf, type LintFinding } from './lint-types.js';
import { operationsOf } from '../operations.js';
import { child } from '../schema/pointer.js';
import { objectsIn } from '../values.js';

/** Rules of OpenAPI 3.1 that its own schema cannot state: path templates and their parameters. */
export function lintOperations(document: Record<string, unknown>): LintFinding[] {
  const { findings, breach } = findingsOf('DOC-02');
  const operations = operationsOf(document);
  const shapes = new Map<string, string>();
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
  for (const one of operations) {
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
  }
  return findings.slice(0, 20);
}
