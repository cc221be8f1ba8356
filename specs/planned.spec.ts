import {
  addressForms,
  dealPages,
  defineRequirement,
  describe,
  hasStatus,
  idOf,
  isFailure,
  succeeded,
  type Check,
  percentEncode,
} from '../src/suite.js';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const;

/** Ids that may exist: a deal's where one is shown, and made-up ones. */
async function ids(check: Check): Promise<string[]> {
  const pages = await dealPages(check);
  const known = pages
    .flatMap((page) => page.items ?? [])
    .map(idOf)
    .filter((id) => id !== null);
  if (known.length === 0) check.observe('Was desking tried with a deal that exists?', 'no: no deal is shown');
  return [...known.slice(0, 2), check.fresh('id'), '1'];
}

async function answers404(check: Check, paths: readonly string[]): Promise<void> {
  let holds = true;
  for (const form of addressForms(check.target)) {
    const isSecond = form === 'second';
    // A router may hand on what has a body only.
    const sent = isSecond ? { id: check.fresh('planned'), text: 'Call the customer back', from: '2026-01-01' } : {};
    // Two ids do under the second form: what differs between the forms is the path, not the id.
    const some = isSecond ? paths.slice(0, 2) : paths;
    for (const path of [...some, ...paths.slice(0, 1).map((one) => `${one}?limit=10&from=2026-01-01`)]) {
      for (const method of path.includes('?') ? (['GET'] as const) : methods) {
        if (check.target.readOnly && method !== 'GET' && method !== 'HEAD') continue;
        const body = method === 'GET' || method === 'HEAD' || method === 'DELETE' ? {} : { json: sent };
        const exchange = await check.ask({ method, path, form, surface: 'planned', ...body });
        if (exchange.response.status !== 404) {
          holds = check.fail({
            expected: `404 for ${method} on a planned path`,
            actual: describe(exchange),
            exchanges: [exchange],
          });
        } else if (method === 'GET' && holds) {
          // A planned path is not live, so a router may answer for it: whether it owes the envelope of a production endpoint is open.
          holds = check.recommend(exchange, isFailure);
        }
      }
    }
  }
  if (paths[0] !== undefined) await deadForOthers(check, paths[0]);
}

/** Fails if a planned path succeeds with another key, such as one with the future scope. Another refusal than 404 is a warning: a service may look at keys first. */
async function deadForOthers(check: Check, path: string): Promise<void> {
  for (const as of ['API_KEY_READ_CALLS', 'OTHER_API_KEY'] as const) {
    if (check.target.keys[as] === undefined) continue;
    const tenant = as === 'OTHER_API_KEY' ? check.target.otherTenant : check.target.tenant;
    const exchange = await check.send({ as, tenant, path, surface: 'planned' });
    if (succeeded(exchange))
      check.fail({ expected: `404 with ${as} on a planned path`, actual: describe(exchange), exchanges: [exchange] });
    else check.recommend(exchange, hasStatus(404, `with ${as} on a planned path`));
  }
}

export const PLAN_01 = defineRequirement({
  id: 'PLAN-01',
  level: 'MUST',
  source: '§4 Planned endpoints, §7',
  title: 'desking a deal is planned and answers 404',
  needs: ['API_KEY'],
  body: async ({ check }) => {
    await answers404(
      check,
      (await ids(check)).map((id) => `/api/v1/deals/${percentEncode(id)}/desk`),
    );
  },
});

export const PLAN_02 = defineRequirement({
  id: 'PLAN-02',
  level: 'MUST',
  source: '§4 Planned endpoints, §7',
  title: 'calls are planned and answer 404',
  needs: ['API_KEY'],
  body: async ({ check }) => {
    await answers404(check, ['/api/v1/calls']);
  },
});

export const PLAN_03 = defineRequirement({
  id: 'PLAN-03',
  level: 'MUST',
  source: '§4 Planned endpoints, §7',
  title: 'the transcript of a call is planned and answers 404',
  needs: ['API_KEY'],
  body: async ({ check }) => {
    await answers404(
      check,
      [check.fresh('call'), '1', 'call_1'].map((id) => `/api/v1/calls/${id}/transcript`),
    );
  },
});

export const PLAN_04 = defineRequirement({
  id: 'PLAN-04',
  level: 'MUST',
  source: '§4 Planned endpoints, §7',
  title: 'dispatching the assistant is planned and answers 404',
  needs: ['API_KEY'],
  body: async ({ check }) => {
    await answers404(check, [`/api/v1/${check.target.assistantSegment}/dispatch`]);
  },
});

export const PLAN_05 = defineRequirement({
  id: 'PLAN-05',
  level: 'MUST',
  source: '§4 Planned endpoints, §7',
  title: 'the funnel report is planned and answers 404',
  needs: ['API_KEY'],
  body: async ({ check }) => {
    await answers404(check, ['/api/v1/reports/funnel']);
  },
});
