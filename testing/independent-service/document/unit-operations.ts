import type { Broken } from '../breaches/breaches.js';
import { listOf, objectOf, ref, text } from '../schemas.js';
import type { Flavour, JsonObject } from '../types.js';
import { bulkLimit } from '../units/units-routes.js';
import { always, bodied, creating, withId, type OperationParts } from './operation-parts.js';

export const inputSchema = (flavour: Flavour, partial: boolean, withId: boolean): JsonObject => {
  const { units, leadRules } = flavour;
  const properties: JsonObject = withId ? { id: text } : {};
  for (const [name, type] of Object.entries(units.input))
    properties[name] =
      name === 'status'
        ? { type: 'string', enum: [...units.statuses] }
        : type === 'string'
          ? { type, minLength: 1, maxLength: 300 }
          : { type };
  return {
    type: 'object',
    properties,
    ...(!partial && units.inputRequired.length > 0 ? { required: [...units.inputRequired] } : {}),
    ...(leadRules.extra === 'refuse' ? { additionalProperties: false } : {}),
  };
};

/** The path of the unit list. */
export const unitsPath = (flavour: Flavour, broken: Broken, parts: OperationParts): JsonObject => {
  const { ok, failures, idempotencyParameter, limitParameter, operation, shared, replayed } = parts;
  const { end } = flavour.cursor;
  const cursorSchema: JsonObject = end === 'null' ? { type: ['string', 'null'] } : text;
  const unitList = listOf(ref('Unit'));
  const pageSchema = objectOf({ items: unitList, nextCursor: cursorSchema }, end === 'absent' ? ['nextCursor'] : []);
  const oneWritten: JsonObject =
    flavour.unitsWriteReply === 'id'
      ? objectOf({ id: text })
      : flavour.unitsWriteReply === 'wrapped'
        ? objectOf({ unit: ref('Unit') })
        : ref('Unit');
  const manyWritten =
    flavour.unitsWriteReply === 'id'
      ? objectOf({ ids: listOf(text), count: { type: 'integer' } })
      : objectOf({ units: unitList });
  const bulkBody = (entry: JsonObject): JsonObject => ({
    ...objectOf({ units: { ...listOf(entry), minItems: 1, maxItems: bulkLimit } }),
    ...(flavour.leadRules.extra === 'refuse' ? { additionalProperties: false } : {}),
  });
  const writeStatus = String(flavour.unitsWriteStatus);
  const units: JsonObject = {
    ...shared(),
    get: operation(
      'listUnits',
      'List units',
      [
        {
          name: 'status',
          in: 'query',
          schema: flavour.unknownStatus === 'refuse' ? { type: 'string', enum: [...flavour.units.statuses] } : text,
        },
        limitParameter,
        { name: flavour.cursor.param, in: 'query', description: 'nextCursor of the page before', schema: text },
      ],
      { '200': ok(pageSchema, 'A page of units'), ...failures(always) },
    ),
  };
  if (flavour.unitsWrite === 'post')
    units['post'] = operation(
      'createUnit',
      'Add a unit',
      [idempotencyParameter],
      { ...replayed(flavour.unitsWriteStatus, ok(oneWritten)), ...failures(creating) },
      ref('UnitInput'),
    );
  if (flavour.unitsWrite === 'post-bulk')
    units['post'] = operation(
      'createUnits',
      'Add units',
      [idempotencyParameter],
      { ...replayed(flavour.unitsWriteStatus, ok(manyWritten)), ...failures(creating) },
      bulkBody(ref('UnitInput')),
    );
  if (flavour.unitsWrite === 'put-bulk')
    units['put'] = operation(
      'putUnits',
      'Add units (without id) or change them (with id)',
      [],
      { [writeStatus]: ok(manyWritten), ...failures([...bodied, 'not_found']) },
      bulkBody(inputSchema(flavour, true, true)),
    );
  if (flavour.unitsWrite === 'patch')
    units['patch'] = operation(
      'changeUnitById',
      'Change a unit named in the body',
      [],
      { [writeStatus]: ok(oneWritten), ...failures([...bodied, 'not_found']) },
      { ...inputSchema(flavour, true, true), required: ['id'] },
    );
  return units;
};

/** The path of a single unit. */
export const unitPath = (flavour: Flavour, broken: Broken, parts: OperationParts): JsonObject => {
  const { ok, failures, operation, shared } = parts;
  const idParameter: JsonObject = {
    name: 'id',
    in: 'path',
    required: !broken('doc-path-param-optional'),
    schema: text,
  };
  const idList = broken('doc-path-param-undeclared') ? [] : [idParameter];
  const atOperation = flavour.doc.pathLevel ? [] : idList;
  const unitItem: JsonObject = {
    ...shared(...idList),
    get: operation('getUnit', 'Get a unit', atOperation, { '200': ok(ref('Unit')), ...failures(withId) }),
  };
  for (const method of ['PATCH', 'PUT'] as const)
    if (flavour.unitMethods.includes(method))
      unitItem[method.toLowerCase()] = operation(
        method === 'PATCH' ? 'patchUnit' : 'putUnit',
        'Change a unit',
        atOperation,
        { '200': ok(ref('Unit')), ...failures([...bodied, 'not_found']) },
        method === 'PATCH' ? inputSchema(flavour, true, false) : ref('UnitInput'),
      );
  if (flavour.unitMethods.includes('DELETE'))
    unitItem['delete'] = operation('deleteUnit', 'Delete a unit', atOperation, {
      '200': ok(objectOf({ id: text, deleted: { const: true } })),
      ...failures(withId),
    });
  return unitItem;
};
