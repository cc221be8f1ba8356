import { descriptionObjects } from '../visit-objects.js';
import type { Breach } from './lint-rules.js';
import { operationsOf } from '../operations.js';
import { at, child, localPointer } from '../schema/pointer.js';
import { follow } from '../schema/resolve.js';
import { asList, asObject, objectsIn, quote } from '../values.js';

/** Rules of OpenAPI 3.1 about names that its own schema cannot state: of operations, parameters, path templates, links, tags, security schemes and server variables. */
export function lintNames(document: Record<string, unknown>, breach: Breach): void {
  lintOperationIds(document, breach);
  lintTags(document, breach);
  lintObjects(document, breach);
  lintTemplates(document, breach);
}

/** Callbacks are left out: some generators write one with each operation that has it. */
function lintOperationIds(document: Record<string, unknown>, breach: Breach): void {
  const ids = new Map<unknown, string>();
  for (const { kind, node, pointer } of descriptionObjects(document)) {
    const id = node['operationId'];
    if (kind !== 'operation' || typeof id !== 'string' || pointer.includes('/callbacks/')) continue;
    const other = ids.get(id);
    if (other !== undefined) breach('operation-id-twice', pointer, `${JSON.stringify(id)} is also at ${other}`);
    ids.set(id, pointer);
  }
}

function lintTags(document: Record<string, unknown>, breach: Breach): void {
  const names = asList(document['tags']).map((tag) => asObject(tag)?.['name']);
  const twice = names.findIndex((name, index) => typeof name === 'string' && names.indexOf(name) !== index);
  if (twice >= 0) breach('tag-twice', child('/tags', twice), `${JSON.stringify(names[twice])} occurs twice`);
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
        breach('unknown-scheme', child(pointer, 'security'), JSON.stringify(name));
    }
    if (kind === 'operation' || kind === 'path-item') {
      const names = asList(node['parameters'])
        .map((one) => follow(document, one, '')?.node)
        .flatMap((one) => (typeof one?.['name'] === 'string' ? `${String(one['in'])} ${one['name']}` : []));
      const twice = names.find((name, index) => names.indexOf(name) !== index);
      if (twice !== undefined) breach('parameter-twice', pointer, `${twice} occurs twice`);
    }
    if (node['$ref'] !== undefined) continue;
    if (kind === 'server-variable' && Array.isArray(node['enum']) && !node['enum'].includes(node['default']))
      breach('server-default', pointer, quote(node['default']));
    const { operationId: id, operationRef: ref } = node;
    if (kind === 'link' && typeof id === 'string' && !ids.has(id) && !elsewhere)
      breach('link-id', pointer, JSON.stringify(id));
    const target = kind === 'link' && typeof ref === 'string' ? localPointer(ref) : null;
    if (target !== null && asObject(at(document, target)) === null)
      breach('link-target', pointer, `${JSON.stringify(ref)} leads nowhere`);
  }
}

function lintTemplates(document: Record<string, unknown>, breach: Breach): void {
  const shapes = new Map<string, string>();
  for (const [template] of objectsIn(document['paths']).filter(([name]) => !name.startsWith('x-'))) {
    const shape = template.replace(/\{[^{}]+\}/g, '{}');
    const other = shapes.get(shape);
    if (other !== undefined) breach('template-twice', child('/paths', template), `${template} and ${other}`);
    shapes.set(shape, template);
  }
  for (const { template, parameters, pointer } of operationsOf(document)) {
    const used = [...template.matchAll(/\{([^{}]+)\}/g)].map((found) => found[1] ?? '');
    const declared = parameters.filter((one) => one.in === 'path');
    for (const name of used.filter((one) => !declared.some((parameter) => parameter.name === one)))
      breach('undeclared-parameter', pointer, `none for {${name}}`);
    for (const { name, required, pointer: place } of declared) {
      if (!required) breach('optional-parameter', place, JSON.stringify(name));
      if (!used.includes(name)) breach('unused-parameter', place, `{${name}} does not occur in ${template}`);
    }
  }
}
