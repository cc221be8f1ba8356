import { header } from '../../http/index.js';
import type { Check } from '../../run/index.js';
import { asObject, type FieldDifference, paths, recordIn } from '../../service/index.js';

/** A warning where one array is shorter, or where the document declares two types of one field, such as a number in the list and an object by itself. */
export const gradeDifference = async (check: Check, one: FieldDifference): Promise<'fail' | 'warn'> =>
  one.lengthOnly || (await isDeclaredOtherwise(check, one)) ? 'warn' : 'fail';

async function isDeclaredOtherwise(
  check: Check,
  { id, pair: [, { exchange: single }], ...one }: FieldDifference,
): Promise<boolean> {
  if ((asObject(one.left) === null) === (asObject(one.right) === null) || single.response === null) return false;
  const { contract } = await check.contract();
  const json = structuredClone(single.response.json);
  const errors = (): number =>
    contract.validateResponse({
      method: 'GET',
      path: paths.unit(id),
      status: single.response?.status ?? 200,
      contentType: header(single, 'content-type') ?? null,
      headers: single.response?.headers ?? [],
      json,
    }).schemaErrors.length;
  const before = errors();
  const names = one.pointer.split('/').slice(1);
  const place = names
    .slice(0, -1)
    .reduce<Record<string, unknown> | null>(
      (inner, name) => asObject(inner?.[name]),
      recordIn({ ...single, response: { ...single.response, json } }, id),
    );
  const last = names.at(-1);
  if (place === null || last === undefined) return false;
  place[last] = one.left;
  return errors() > before;
}
