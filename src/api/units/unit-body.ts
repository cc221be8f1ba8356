import type { Exchange } from '../../http/index.js';
import type { Check, RequestOptions } from '../../run/index.js';
import { createsUnit } from '../../openapi/index.js';
import { asObject, paths } from '../../service/index.js';

type Json = Readonly<Record<string, unknown>>;

/** The declared operation that creates a unit. */
export interface UnitCreation {
  /** Whether the document declares an idempotency key for it. */
  readonly takesKey: boolean;
  /** A body that the declaration allows, new each time. */
  body(check: Check): unknown;
  /** A partial change that the declaration of PATCH allows. */
  patch(check: Check): unknown;
  attempt(check: Check, options: Partial<RequestOptions>): Promise<Exchange>;
}

/** As `unitCreation`, with values like those of units that are `listed`. */
export async function creationLike(check: Check, listed: readonly unknown[]): Promise<UnitCreation | null> {
  const { contract } = await check.contract();
  const operation = contract.operation('POST', paths.units);
  if (operation === null || !createsUnit(contract.document, operation)) return null;
  const takesKey = operation.parameters.some((one) => one.in === 'header' && /^idempotency-key$/i.test(one.name));
  const example = (method: string, path: string, unique: string): unknown =>
    contract.exampleBody(method, path, { unique, like: listed });
  const draw = (): unknown => example('POST', paths.units, check.fresh('unit'));
  const { unitBody } = check.target;
  const body = (): unknown => (unitBody === null ? draw() : withOwnTexts(unitBody, asObject(draw()), asObject(draw())));
  return {
    takesKey,
    body,
    patch: (asking) => example('PATCH', paths.unit('x'), asking.fresh('change')) ?? { status: 'available' },
    attempt(asking, options) {
      const headers = takesKey ? [['idempotency-key', asking.fresh('unit key')] as const] : [];
      return asking.send({ method: 'POST', path: paths.units, json: body(), headers, ...options });
    },
  };
}

/** The body with texts of its own in the fields that differ from one drawn body to the next, as no two units may have them in common. */
function withOwnTexts(body: Json, one: Json | null, two: Json | null): Json {
  const own = Object.entries(one ?? {}).filter(
    ([name, value]) => typeof value === 'string' && typeof body[name] === 'string' && two?.[name] !== value,
  );
  return { ...body, ...Object.fromEntries(own) };
}
