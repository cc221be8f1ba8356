import type { Requirement, RequirementResult } from '../requirement/index.js';
import type { Exchange, HeaderLine, Surface } from '../http/index.js';
import { asObject } from '../openapi/index.js';
import { Check, describe } from './check.js';
import type { Run } from './run.js';

/** The class of an answer: its status in hundreds, or how it failed. */
function kindOf({ response, failure }: Exchange): string {
  if (response === null) return failure?.kind ?? 'nothing';
  return `${Math.floor(response.status / 100)}xx${asObject(response.json)?.['ok'] === false ? ', refused' : ''}`;
}

/** A check that looks at the target for no requirement. */
export function lookAs(id: string, run: Run): Check {
  return new Check({ id, section: id, level: 'OBSERVE', source: '', title: '', writes: false, slow: false }, run);
}

/**
 * The negative control of every pass: a path that no service has must be answered unlike the list that every service has. Where both get
 * the same kind of answer, the service does not tell requests apart, and a pass would be by accident. Null where all is well.
 */
function indistinct(run: Run): Promise<string | null> {
  return run.once('control', async () => {
    const check = lookAs('control', run);
    const keyed = run.target.keys.API_KEY !== undefined && (await run.targetState()).refused === null;
    const path = keyed ? '/api/v1/units' : '/api/demo/units';
    const nowhere = path.replace('units', check.fresh('a path that no service has'));
    const { query, headers } = await check.required({ path });
    // Both are sent alike, tenant and required parameters included, so that nothing but the path tells them apart.
    const caller = keyed ? ({ as: 'API_KEY', tenant: check.target.tenant } as const) : { as: null };
    const ask = (at: string, limit: HeaderLine[], surface: Surface = 'other'): Promise<Exchange> =>
      check.send({ ...caller, headers, surface, path: at, query: [...query, ...limit] });
    const list = (limit: HeaderLine[]): Promise<Exchange> => ask(path, limit, keyed ? 'other' : 'demo');
    const limit: HeaderLine[] = keyed ? [['limit', '1']] : [];
    let known = await list(limit);
    const unknown = await ask(nowhere, limit);
    // So small a limit may be refused.
    if (kindOf(known) === kindOf(unknown)) known = await list([]);
    if (kindOf(known) !== kindOf(unknown)) return null;
    return `the service answers a path that does not exist as it answers the unit list (${describe(known)}; ${describe(unknown)}), so its answers prove nothing`;
  });
}

/** Why a failed or blocked check is not the service's fault, by its own control. Null where there is no reason, or the control fails: then the verdict stays. */
export async function reasonToDiscount(
  check: Check,
  { control }: Pick<Requirement, 'control'>,
): Promise<string | null> {
  const failures = check.breaches.filter(({ soft }) => !soft).map(({ exchanges = [] }) => exchanges);
  try {
    return (await control?.(check, failures)) ?? null;
  } catch {
    return null;
  }
}

/** A pass of something that must hold, and a failure, confirmed by a control of their own or turned into blocked. */
export async function confirm(
  result: RequirementResult,
  check: Check,
  requirement: Pick<Requirement, 'control'>,
): Promise<RequirementResult> {
  if (!['pass', 'fail'].includes(result.verdict) || result.level === 'OBSERVE') return result;
  let reason: string | null;
  try {
    reason = result.verdict === 'fail' ? await reasonToDiscount(check, requirement) : await indistinct(check.run);
  } catch (error) {
    reason = `an address that no service has could not be asked for, so that nothing tells a pass from an accident: ${error instanceof Error ? error.message : String(error)}`;
  }
  return reason === null ? result : { ...result, verdict: 'blocked', reason: check.run.redactor.text(reason) };
}
