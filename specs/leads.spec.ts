import {
  acceptLeads,
  acceptPlainLead,
  acceptSources,
  blockUnlessTaken,
  breakLeads,
  dataOf,
  defineRequirement,
  describe,
  type Exchange,
  explainRefusals,
  failIfMissing,
  isRealPhone,
  isSuccess,
  changeLeads,
  keepLeads,
  matcher,
  type Matcher,
  openLeadSession,
  type PlacedLead,
  postLead,
  row,
  surviveBodies,
  visibleJson,
} from '../src/suite.js';

/** What all of them have in common. */
const creating = { control: explainRefusals, writes: true, needs: ['API_KEY'] } as const;

export const LEAD_01 = defineRequirement({
  ...creating,
  id: 'LEAD-01',
  level: 'MUST',
  source: '§2 Lead, §4.4',
  title: 'a lead with name, phone and vehicleId is created',
  body: ({ check }) => acceptPlainLead(check),
});

export const LEAD_02 = defineRequirement({
  ...creating,
  id: 'LEAD-02',
  level: 'MUST',
  source: '§2 Lead, §4.4',
  title: 'the source of a lead may be left out or given',
  body: ({ check }) => acceptSources(check),
});

export const LEAD_03 = defineRequirement({
  ...creating,
  id: 'LEAD-03',
  level: 'MUST',
  source: '§2 Lead, §4.4',
  title: 'every lead that the specification and the declared schema allow is taken',
  long: true,
  body: ({ check }) => acceptLeads(check),
});

export const LEAD_04 = defineRequirement({
  ...creating,
  id: 'LEAD-04',
  level: 'DECLARED',
  source: '§4.4, §4 Specification endpoint',
  title: 'a lead that breaks the declared schema in one place is refused',
  optional: 'the declared schema of a lead forbids nothing',
  body: ({ check }) => breakLeads(check),
});

export const LEAD_05 = defineRequirement({
  ...creating,
  id: 'LEAD-05',
  level: 'MUST',
  source: '§7, RFC 9110 §15.6',
  title: 'malformed bodies get an envelope below 500, and the service goes on answering',
  long: true,
  body: ({ check }) => surviveBodies(check),
});

const isNotTaken = (what: string): Matcher<Exchange> =>
  matcher('not-refused', `4xx for ${what}`, (exchange) => !isSuccess(exchange), describe);

export const LEAD_06 = defineRequirement({
  ...creating,
  id: 'LEAD-06',
  level: 'SHOULD',
  source: '§2 Lead',
  title: 'a phone without its leading plus is refused',
  body: async ({ check }) => {
    const session = await openLeadSession(check, { gate: 4, certify: 12 });
    blockUnlessTaken(check, await session.plain());
    const lead = await session.fresh();
    const whole = String(lead['phone']);
    for (const phone of [whole.replace(/^\+/, ''), ...(isRealPhone(whole) ? ['61491570006'] : [])]) {
      const one = { lead: { ...lead, phone }, field: 'phone', label: '', strength: 'open' } as const;
      const { exchange } = await session.send(one);
      if (!check.expect(exchange, isNotTaken(`the phone ${visibleJson(phone)}, which lacks the leading plus`))) return;
    }
  },
});

export const LEAD_07 = defineRequirement({
  ...creating,
  id: 'LEAD-07',
  level: 'DECLARED',
  source: '§2 Lead, §4.5',
  title: 'what was sent comes back without loss wherever it is shown',
  optional: 'nothing that is declared shows a lead',
  body: ({ check }) => keepLeads(check),
  rows: [
    row('a change of a lead shows, and leaves all else as it was', (check, leads: readonly PlacedLead[]) =>
      changeLeads(check, leads),
    ),
  ],
});

const seen = (exchange: Exchange): string =>
  `${isSuccess(exchange) ? 'taken' : 'refused'} (${String(exchange.response?.status ?? 'no answer')})`;

export const LEAD_08 = defineRequirement({
  ...creating,
  id: 'LEAD-08',
  level: 'OBSERVE',
  source: '§2 Lead, §4.4',
  title: 'what the specification leaves open about leads is recorded',
  body: async ({ check }) => {
    const session = await openLeadSession(check, { gate: 8, certify: 20 });
    blockUnlessTaken(check, await session.plain());
    const answers = { required: [] as string[], 'may be left out': [] as string[] };
    for (const field of ['name', 'phone', 'vehicleId']) {
      const { [field]: _, ...lead } = await session.fresh();
      answers[isSuccess(await session.post(lead)) ? 'may be left out' : 'required'].push(field);
    }
    check.observe(
      'Which fields of a lead are required?',
      Object.entries(answers)
        .map(([how, fields]) => `${how}: ${fields.join(', ') || 'none'}`)
        .join('; '),
    );
    const unknown = await session.post({ ...(await session.fresh()), vehicleId: check.fresh('no such unit') });
    check.observe('How is a lead about a unit that does not exist answered?', seen(unknown));
    if (isSuccess(unknown) && unknown.response?.status !== 202)
      await failIfMissing(check, 'a lead that was accepted for such a unit', [unknown]);
    const extra = await session.post({ ...(await session.fresh()), undeclaredField: 'x' });
    const kept = isSuccess(extra) && JSON.stringify(dataOf(extra) ?? {}).includes('undeclaredField');
    check.observe(
      'How is an undeclared field answered?',
      `${seen(extra)}${isSuccess(extra) ? (kept ? ', and shown again' : ', and not shown again') : ''}`,
    );
    const keyless = await postLead(check, await session.fresh(), { key: null });
    check.observe('How is a create without an idempotency key answered?', seen(keyless));
  },
});
