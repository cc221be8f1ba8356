import { choiceBesideNull, schemaBelow } from './compatible-branches.js';
import { compareSchemas, gone, type Report } from './compatible-schema.js';
import { jsonContent, type Operation, type Parameter } from '../operations.js';
import { follow, member, type Located, typesOf } from '../schema/resolve.js';

/** An operation of one document. */
export interface DeclaredOperation {
  readonly document: Record<string, unknown>;
  readonly operation: Operation;
}

/** OpenAPI ignores header parameters with these names. */
const ignored = /^(accept|content-type|authorization)$/i;

const telling = (one: Operation): Parameter[] =>
  one.parameters.filter((parameter) => parameter.in !== 'header' || !ignored.test(parameter.name));

/** The path parameters in the order of the template: their names are the document's own affair. */
const placesOf = (one: Operation): string[] =>
  [...one.fullTemplate.matchAll(/\{([^{}]+)\}/g)].map((found) => found[1] ?? '');

/** The parameter of the served operation that a pinned one is, or undefined. */
function counterpart(before: Operation, parameter: Parameter, after: Operation): Parameter | undefined {
  const name = parameter.in === 'path' ? placesOf(after)[placesOf(before).indexOf(parameter.name)] : parameter.name;
  return telling(after).find(
    (other) =>
      other.in === parameter.in &&
      (other.in === 'header' ? other.name.toLowerCase() === name?.toLowerCase() : other.name === name),
  );
}

/** Parameters that are gone, that are required now, and that take less than they did. */
export function compareParameters(pinned: DeclaredOperation, served: DeclaredOperation, report: Report): void {
  const [before, after] = [pinned.operation, served.operation];
  for (const parameter of telling(before)) {
    const { in: place, name } = parameter;
    const other = counterpart(before, parameter, after);
    if (other !== undefined) compareValues(pinned.document, parameter, served.document, other, report);
    else if (place !== 'path')
      report(after.pointer, 'parameter-gone', `the ${place} parameter ${name}, as pinned`, gone, name);
  }
  for (const parameter of telling(after)) {
    const { in: place, name, pointer, required } = parameter;
    if (place !== 'path' && required && counterpart(after, parameter, before)?.required !== true)
      report(pointer, 'parameter-required', `the ${place} parameter ${name} to stay optional`, 'it is required now');
  }
}

/** The schema of a parameter's value without null, which nothing in an address or a header can be. */
function valueOf(document: unknown, parameter: Parameter): Located | null {
  const found = schemaBelow(document, parameter) ?? schemaBelow(document, jsonContent(document, parameter));
  const whole = found && follow(document, found.schema, found.pointer);
  const here = choiceBesideNull(document, whole) ?? whole;
  if (here === null) return null;
  const { type, enum: values } = here.node;
  return {
    pointer: here.pointer,
    node: {
      ...here.node,
      ...(Array.isArray(type) ? { type: type.filter((one) => one !== 'null') } : {}),
      ...(Array.isArray(values) ? { enum: values.filter((one) => one !== null) } : {}),
    },
  };
}

/** Compares what a parameter may be, as it is written in an address or a header: everything there is text, and one value is a list of one. */
function compareValues(pinned: unknown, before: Parameter, served: unknown, after: Parameter, report: Report): void {
  const old = valueOf(pinned, before);
  let now = valueOf(served, after);
  if (old === null || now === null) return;
  const isList = (one: Located): boolean => typesOf(one.node).includes('array');
  if (isList(now) && !isList(old)) {
    const items = member(served, now, 'items');
    if (items === null) return;
    now = items;
  }
  const text = typesOf(now.node).includes('string');
  const types = typesOf(old.node);
  const unlike = types.length > 0 && !types.includes('string');
  // A number that is read as a text is accepted as it was.
  if (text && unlike) return;
  compareSchemas(
    'request',
    { document: pinned, schema: text ? { type: 'string', ...old.node } : old.node, pointer: old.pointer },
    { document: served, schema: now.node, pointer: now.pointer },
    report,
  );
}
