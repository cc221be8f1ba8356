import { descriptionObjects } from './description-objects.js';
import { findingsOf, type LintFinding } from './lint-types.js';
import { methods, operationsOf } from '../operations.js';
import { at, child, localPointer } from '../schema/pointer.js';
import { follow, member } from '../schema/resolve.js';
import { asList, asObject, objectsIn } from '../values.js';

type Breach = ReturnType<typeof findingsOf>['breach'];

/** Rules of OpenAPI 3.1 about names that its own schema cannot state: of operations, parameters, path templates, links, tags, security schemes and server variables. */
export function lintNames(document: Record<string, unknown>): LintFinding[] {
  const { findings, breach } = findingsOf('DOC-02');
  lintOperationIds(document, breach);
  lintTags(document, breach);
  lintObjects(document, breach);
  lintTemplates(document, breach);
  return findings.slice(0, 20);
}

/** All operations of the document's paths and webhooks; one that two path items share counts once. */
function describedOperations(document: Record<string, unknown>): { id: unknown; pointer: string }[] {
  const paths = operationsOf(document).map(({ operation, pointer }) => ({ id: operation['operationId'], pointer }));
  const webhooks = objectsIn(document['webhooks']).flatMap(([name, raw]) => {
    const item = follow(document, raw, child('/webhooks', name));
    return methods.flatMap((method) => {
      const one = member(document, item, method);
      return one === null ? [] : [{ id: one.node['operationId'], pointer: one.pointer }];
    });
  });
  return [...paths, ...webhooks];
}

function lintOperationIds(document: Record<string, unknown>, breach: Breach): void {
  const ids = new Map<string, string>();
  for (const { id, pointer } of describedOperations(document)) {
    if (typeof id !== 'string') continue;
    const other = ids.get(id);
    if (other !== undefined && other !== pointer)
      breach(
        pointer,
        'operation-id-twice',
        'operationIds that are unique',
        `${JSON.stringify(id)} is also at ${other}`,
      );
    ids.set(id, pointer);
  }
}

function lintTags(document: Record<string, unknown>, breach: Breach): void {
  const names = asList(document['tags']).map((tag) => asObject(tag)?.['name']);
  const twice = names.findIndex((name, index) => typeof name === 'string' && names.indexOf(name) !== index);
  if (twice >= 0)
    breach(
      child('/tags', twice),
      'tag-twice',
      'tags whose names are unique',
      `${JSON.stringify(names[twice])} occurs twice`,
    );
}

function lintObjects(document: Record<string, unknown>, breach: Breach): void {
  const objects = descriptionObjects(document);
  const ids = new Set(objects.filter((one) => one.kind === 'operation').map((one) => one.node['operationId']));
  const schemes = asObject(asObject(document['components'])?.['securitySchemes']) ?? {};
  // An operation may stand in another document, which is not fetched.
  const elsewhere = objects.some(
    ({ kind, node }) => kind === 'path-item' && typeof node['$ref'] === 'string' && localPointer(node['$ref']) === null,
  );
  for (const { kind, node, pointer } of objects) {
    if (kind === 'operation' || pointer === '') {
      const names = asList(node['security']).flatMap((one) => Object.keys(asObject(one) ?? {}));
      for (const name of names.filter((one) => !Object.hasOwn(schemes, one)))
        breach(
          child(pointer, 'security'),
          'unknown-scheme',
          'a security scheme that components.securitySchemes declares',
          JSON.stringify(name),
        );
    }
    if (kind === 'operation' || kind === 'path-item') {
      const names = asList(node['parameters'])
        .map((one) => follow(document, one, '')?.node)
        .filter((one) => typeof one?.['name'] === 'string')
        .map((one) => `${String(one?.['in'])} ${String(one?.['name'])}`);
      const twice = names.find((name, index) => names.indexOf(name) !== index);
      if (twice !== undefined)
        breach(pointer, 'parameter-twice', 'parameters that differ in name or place', `${twice} occurs twice`);
    }
    if (node['$ref'] !== undefined) continue;
    if (kind === 'server-variable' && Array.isArray(node['enum']) && !node['enum'].includes(node['default']))
      breach(
        pointer,
        'server-default',
        'a default that the enum of the server variable lists',
        JSON.stringify(node['default']) ?? 'none',
      );
    const { operationId: id, operationRef: ref } = node;
    if (kind === 'link' && typeof id === 'string' && !ids.has(id) && !elsewhere)
      breach(pointer, 'link-id', 'a link to an operationId that an operation has', JSON.stringify(id));
    const target = kind === 'link' && typeof ref === 'string' ? localPointer(ref) : null;
    if (target !== null && asObject(at(document, target)) === null)
      breach(pointer, 'link-target', 'a link to an operation', `${JSON.stringify(ref)} leads nowhere`);
  }
}

function lintTemplates(document: Record<string, unknown>, breach: Breach): void {
  const shapes = new Map<string, string>();
  for (const [template] of objectsIn(document['paths'])) {
    if (template.startsWith('x-')) continue;
    const shape = template.replace(/\{[^{}]+\}/g, '{}');
    const other = shapes.get(shape);
    if (other !== undefined)
      breach(
        child('/paths', template),
        'template-twice',
        'path templates that differ in more than parameter names',
        `${template} and ${other}`,
      );
    shapes.set(shape, template);
  }
  for (const one of operationsOf(document)) {
    const used = [...one.template.matchAll(/\{([^{}]+)\}/g)].map((found) => found[1] ?? '');
    for (const name of used) {
      if (!one.parameters.some((parameter) => parameter.in === 'path' && parameter.name === name))
        breach(one.pointer, 'undeclared-parameter', `a declared path parameter for {${name}}`, 'none');
    }
    for (const parameter of one.parameters) {
      if (parameter.in === 'path' && !parameter.required)
        breach(
          parameter.pointer,
          'optional-parameter',
          'required: true for a path parameter',
          JSON.stringify(parameter.name),
        );
      if (parameter.in === 'path' && !used.includes(parameter.name))
        breach(
          parameter.pointer,
          'unused-parameter',
          `a path parameter that occurs in ${one.template}`,
          `{${parameter.name}} does not occur there`,
        );
    }
  }
}
