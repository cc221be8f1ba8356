import type { Check } from '../../run/index.js';
import { asArray, asObject, paths } from '../../service/index.js';
import { unitsIfReadable } from './known-units.js';
import type { UnitCreation } from './unit-body.js';
import { inputSchemas } from './unit-patch.js';

type Json = Record<string, unknown>;

/** A number with two decimals that loses a hundredth where it is multiplied by a hundred and cut. */
const lossyCents = (whole: number): number =>
  Array.from({ length: 99 }, (_, at) => Number((whole + (at + 1) / 100).toFixed(2))).find(
    (one) => Math.trunc(one * 100) < Math.round(one * 100),
  ) ?? whole;

/** Values of the kind that a field is declared with, the least usual first. Fractions only where the service knows fractions of the field. */
function valuesOf(name: string, schema: Json | null, usual: unknown, listed: readonly unknown[]): readonly unknown[] {
  const members = asArray(schema?.['enum']);
  if (members !== null) return members.filter((member) => member !== null).toReversed();
  const item = asObject(schema?.['items']);
  if (item !== null) {
    const isLink = item['format'] === 'uri' || /photo|image|picture|media|url/i.test(name);
    const texts = [1, 2, 3].map((at) => (isLink ? `https://example.com/${name}/${at}.jpg` : `${name} ${at}`));
    return [asArray(item['enum'])?.slice(0, 3) ?? texts];
  }
  if (typeof usual === 'number') {
    const isFraction = (value: unknown): boolean => typeof value === 'number' && !Number.isInteger(value);
    const hasFractions =
      [schema?.['type']].flat().includes('number') &&
      (/price|amount|cost|msrp|fee|total/i.test(name) ||
        /^(double|float|decimal)$/.test(String(schema?.['format'])) ||
        [schema?.['multipleOf'], ...listed.map((unit) => asObject(unit)?.[name])].some(isFraction));
    const isNegative = typeof schema?.['minimum'] === 'number' && schema['minimum'] < 0;
    return [
      ...(hasFractions ? [Math.floor(usual) + 0.25, lossyCents(Math.floor(usual))] : []),
      usual === 0 ? 1 : 0,
      ...(isNegative ? [-1] : []),
    ];
  }
  const isFree = schema?.['pattern'] === undefined && schema?.['format'] === undefined;
  if (typeof usual !== 'string' || !isFree || /^(id|vin|currency|.*(Id|Url|Code|Number))$/.test(name)) return [];
  const limit = schema?.['maxLength'];
  return [`${usual} Žluťoučký 車`, usual.padEnd(Math.min(typeof limit === 'number' ? limit : 60, 200), ' long text')];
}

/**
 * Bodies for a new unit, the best first: with a value of another kind at each place of 0 to 3 for every field. A service may have a list of its own
 * for a text, or for entries; then the rest varies alone. Each body has unique values of its own: one whose answer was lost may have
 * made a unit, and its repetition be refused.
 */
export async function variedBodies(check: Check, creation: UnitCreation, place: number): Promise<readonly Json[]> {
  const { contract } = await check.contract();
  const schemas = await inputSchemas(check, 'POST', paths.units);
  const listed = await unitsIfReadable(check);
  const bodyWith = (varies: (value: unknown) => boolean): Json[] => {
    const usual: Json | null = asObject(creation.body(check));
    if (usual === null) return [];
    let body = usual;
    for (const [name, schema] of schemas) {
      const values = valuesOf(name, schema, usual[name] ?? null, listed);
      const value = values[place % Math.max(1, values.length)];
      const changed = { ...body, [name]: value };
      const isAllowed = (): boolean => contract.validateRequest('POST', paths.units, changed).length === 0;
      if (value !== undefined && varies(value) && isAllowed()) body = changed;
    }
    return [body];
  };
  const isShort = (value: unknown): boolean => typeof value !== 'string' || value.length < 20;
  return [() => true, isShort, (value: unknown) => isShort(value) && typeof value !== 'object'].flatMap(bodyWith);
}
