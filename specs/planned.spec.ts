import {
  addressForms,
  allDeals,
  type Answer,
  answers,
  type Check,
  defineRequirement,
  idOf,
  invariant,
  isFailure,
  listing,
  type Match,
  percentEncode,
  succeeded,
} from '../src/suite.js';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const;

/** The paths of a template: with ids of deals that are shown, and with made-up ones. */
async function pathsOf(check: Check, template: string): Promise<readonly string[]> {
  if (!template.includes('{id}')) return [template];
  const isOfDeal = template.startsWith('/api/v1/deals/');
  const shown = isOfDeal ? (await listing(check, allDeals)).items.flatMap((deal) => idOf(deal) ?? []) : [];
  if (isOfDeal && shown.length === 0)
    check.observe('Was desking tried with a deal that exists?', 'no: no deal is shown');
  const ids = [...shown.slice(0, 2), check.fresh('id'), '1'];
  return ids.map((id) => template.replace('{id}', percentEncode(id)));
}

/** Asks for planned paths by each method, in each address form, and with each key that the future operation may be meant for. */
async function askForPlanned(check: Check, template: string): Promise<void> {
  const paths = await pathsOf(check, template);
  const [first = template] = paths;
  const surface = 'planned';
  for (const form of addressForms(check.target)) {
    // A router may hand on what has a body only. Two ids do under the second form: what differs between the forms is the path, not the id.
    const isSecond = form === 'second';
    const json = isSecond ? { id: check.fresh('planned'), text: 'Call the customer back', from: '2026-01-01' } : {};
    for (const path of isSecond ? paths.slice(0, 2) : paths)
      for (const method of check.target.readOnly ? (['GET', 'HEAD'] as const) : methods)
        await check.ask({ method, path, form, surface, ...(/^P/.test(method) ? { json } : {}) });
    await check.ask({ path: `${first}?limit=10&from=2026-01-01`, form, surface });
  }
  for (const [as, tenant] of [
    ['API_KEY_READ_CALLS', check.target.tenant],
    ['OTHER_API_KEY', check.target.otherTenant],
  ] as const)
    if (check.target.keys[as] !== undefined) await check.send({ as, tenant, path: first, surface });
  if ((await ownAnswers(check)).length === 0) check.blocked('the service answered on no planned path');
}

const ownAnswers = async (check: Check): Promise<readonly Answer[]> =>
  (await answers('planned')(check)).filter(({ exchange }) => exchange.asker === check.entry.id);

/**
 * 404, or another refusal of a narrower or foreign key: a service may look at keys first. A planned path is not live, so a router may answer for
 * it: whether it owes the envelope of a production endpoint is open.
 */
function isNotLive({ exchange, response: { status } }: Answer): readonly Match[] {
  const { method, credential } = exchange.request;
  const expected = `404 for ${method} on a planned path with ${credential ?? 'no key'}`;
  const isSoft = credential !== 'API_KEY' && !succeeded(exchange);
  const missing = {
    pass: status === 404,
    code: 'not-404',
    expected,
    actual: String(status),
    part: 'status' as const,
    soft: isSoft,
  };
  return [missing, ...(method === 'GET' && missing.pass ? [{ ...isFailure(exchange), soft: true }] : [])];
}

const planned = (
  id: `PLAN-${number}`,
  title: string,
  template: string | ((check: Check) => string),
): ReturnType<typeof defineRequirement> =>
  defineRequirement({
    id,
    level: 'MUST',
    source: '§4 Planned endpoints, §7',
    title,
    needs: ['API_KEY'],
    body: ({ check }) => askForPlanned(check, typeof template === 'string' ? template : template(check)),
    invariants: [
      invariant('every method is answered 404, or refused to a narrower or foreign key', ownAnswers, isNotLive),
    ],
  });

export const PLAN_01 = planned('PLAN-01', 'desking a deal is planned and answers 404', '/api/v1/deals/{id}/desk');
export const PLAN_02 = planned('PLAN-02', 'calls are planned and answer 404', '/api/v1/calls');
export const PLAN_03 = planned(
  'PLAN-03',
  'the transcript of a call is planned and answers 404',
  '/api/v1/calls/{id}/transcript',
);
export const PLAN_04 = planned(
  'PLAN-04',
  'dispatching the assistant is planned and answers 404',
  ({ target }) => `/api/v1/${target.assistantSegment}/dispatch`,
);
export const PLAN_05 = planned('PLAN-05', 'the funnel report is planned and answers 404', '/api/v1/reports/funnel');
