import {
  blockUnlessOverlapping,
  breakages,
  breaksAnew,
  byDepth,
  type Check,
  countedRecords,
  defineRequirement,
  describe,
  type Exchange,
  explainRefusals,
  identityOf,
  inTurn,
  inviteOther,
  isSuccess,
  judgeLostAnswers,
  judgeSharedIds,
  keyDeclaration,
  keyPlan,
  keyRefusals,
  leadTraits,
  logFor,
  manyOthers,
  mergedLeads,
  nearPlaces,
  play,
  type PlannedCreate,
  playRandomPlans,
  quote,
  raceOf,
  recommendReplays,
  type RequestLog,
  row,
  sendPlanned,
  tellAnswers,
  warnOfRefusedKeys,
} from '../src/suite.js';

/** What all of them have in common. */
const keyed = {
  control: explainRefusals,
  writes: true,
  needs: ['API_KEY'],
  body: ({ check }: { readonly check: Check }) => logFor(check),
} as const;

const own = { key: 0 } as const;
const rival = { key: 0, body: 'other' } as const;
const anywhere = (more: Partial<PlannedCreate> = {}): PlannedCreate => ({ key: 0, by: 'any', ...more });
const again = (create: PlannedCreate): PlannedCreate => ({ ...create, again: true });
const byOther = (create: PlannedCreate): PlannedCreate => ({ ...create, by: 'second tenant' });

export const IDEM_01 = defineRequirement({
  ...keyed,
  id: 'IDEM-01',
  level: 'MUST',
  source: '§1, §4.4',
  title: 'a replay of a create makes no second lead, and shows the first where it succeeds',
  alone: true,
  body: ({ check }) => logFor(check, { replays: true }),
  rows: [
    keyPlan('a create that is sent four times makes one lead', inTurn({ key: 0, times: 4 })),
    keyPlan(
      'so does one of the first address form that is sent again at API_BASE_URL, and without X-Tenant (§4)',
      inTurn({ key: 0, by: 'second form', times: 1 }, { key: 0, by: 'no tenant', times: 1 }),
    ),
    keyPlan(
      'so does one with an optional field, a letter beyond ASCII, or many blanks, or with a key in capitals, each in another place',
      inTurn(
        { key: 1, by: 'any', body: 'an optional field', times: 2 },
        { key: 2, by: 'any', body: 'a letter beyond ASCII', times: 2 },
        { key: 3, by: 'any', body: 'three thousand blanks', times: 2 },
        { key: 4, by: 'any', body: 'one of many', form: 'capitals', times: 2 },
        { key: 5, by: 'any', body: 'one of many', times: 2 },
      ),
    ),
    row('a replay succeeds, and is a copy of the first answer (recommended)', recommendReplays),
    countedRecords(),
  ],
});

const laterCreates = [44, 240] as const;

export const IDEM_02 = defineRequirement({
  ...keyed,
  id: 'IDEM-02',
  level: 'MUST',
  source: '§1',
  title: 'a replay shows the same record even after many other creates',
  rows: [
    keyPlan('a lead is made', inTurn({ key: 0, times: 1 })),
    keyPlan('a unit is made, where units take keys', inTurn({ key: 1, route: 'units', times: 2 })),
    row('many other leads are made', async (check, log: RequestLog) => {
      const count = byDepth(check, laterCreates);
      const others = log.holds ? await play(log, manyOthers(count)) : [];
      const made = others.filter(({ exchange }) => isSuccess(exchange)).length;
      if (log.holds && made < count / 2) log.block(`only ${made} of ${count} further leads could be created`);
    }),
    keyPlan('many other units are made', (check) => manyOthers(byDepth(check, [13, 30]), 'units')),
    // Keys that are kept for a short time only show after a while.
    keyPlan('the lead is not made again', (check) => inTurn({ key: 0, times: 1, ageMs: byDepth(check, [0, 5_000]) })),
    keyPlan('the unit is not made again', inTurn({ key: 1, route: 'units', times: 1 })),
    row('how many other creates a key outlives, and how long it lasts without them', async (check, log: RequestLog) => {
      const [first, last] = [log.entries[0]?.exchange, log.entries.at(-1)?.exchange];
      const ageMs = (last?.receivedAtMs ?? 0) - (first?.receivedAtMs ?? 0);
      const alone = inTurn({ key: 0, times: 1 }, { key: 0, times: 1, ageMs });
      const observed = log.holds
        ? `at least ${byDepth(check, laterCreates)}`
        : (await breaksAnew(log, alone))
          ? `any number within ${(ageMs / 1000).toFixed(0)} s: it is forgotten by then without them, too`
          : `fewer than ${byDepth(check, laterCreates)}`;
      check.observe('How many other creates does a key outlive?', observed);
    }),
    // A forgotten key would take this for a new lead, where its replay might be saved by a comparison of contents.
    keyPlan('another body under the key of the lead makes none', inTurn(rival), {
      control: { plan: inTurn(own, rival, own), see: 'IDEM-04' },
    }),
    countedRecords(),
  ],
});

export const IDEM_03 = defineRequirement({
  ...keyed,
  id: 'IDEM-03',
  level: 'MUST',
  source: '§1, §4.4',
  title: 'creates with one key at the same time make one lead',
  rows: [
    keyPlan(
      'several creates at the same time, or shortly after each other, and a replay make one lead, in each place',
      (check, round) => [raceOf(round, byDepth(check, [4, 6])), [anywhere()]],
      { rounds: [8, 30] },
    ),
    row('each of them is answered', judgeLostAnswers),
    row('some of them overlap', blockUnlessOverlapping),
    keyPlan(
      'two at the same time make one unit, in each place where units take keys',
      [[anywhere({ route: 'units' }), anywhere({ route: 'units' })]],
      { rounds: [6, 12] },
    ),
    countedRecords(),
  ],
});

export const IDEM_04 = defineRequirement({
  ...keyed,
  id: 'IDEM-04',
  level: 'MUST',
  source: '§1, §4.4',
  title: 'another body under a used key never makes or changes a lead',
  rows: [
    keyPlan(
      'another phone, name or unit, all of them, or another order of fields under a used key makes and changes nothing, each in another place',
      inTurn(
        ...(
          ['another phone', 'another name', 'another unit', 'other', 'a letter beyond ASCII', 'respelt'] as const
        ).flatMap((body, key) => [
          { key, by: 'any' } as const,
          { key, by: 'any', body } as const,
          again({ key, by: 'any' }),
        ]),
        again({ key: 4, by: 'any' }),
      ),
      { rounds: [1, 4], tell: tellAnswers('How is another body under a used key answered?') },
    ),
    keyPlan('two bodies with one key at the same time make one lead', [[own, rival, own, rival]], {
      rounds: [3, 12],
      control: { plan: [0, 1, 2, 3].map((key) => [{ key }, { key }, { key }, { key }]), see: 'IDEM-03' },
    }),
    keyPlan(
      'another body under a used key makes and changes no unit, in each place where units take keys',
      inTurn(
        ...[1, 2, 3, 4, 5].flatMap((key) => [
          { key, by: 'any', route: 'units' } as const,
          { key, by: 'any', route: 'units', body: 'other' } as const,
        ]),
      ),
    ),
    countedRecords(),
  ],
});

/** Keys that differ from one in a character: in the most telling places, and in the version. */
const nearKeys = (key: number, check: Check): PlannedCreate[] => [
  { key },
  ...nearPlaces.slice(0, byDepth(check, [11, 31])).map((near) => ({ key, form: { near } })),
  ...[7, 1].map((version) => ({ key, form: { version } })),
];

export const IDEM_05 = defineRequirement({
  ...keyed,
  id: 'IDEM-05',
  level: 'MUST',
  source: '§4.4',
  title: 'keys that differ in one character are different keys',
  body: async ({ check }) => {
    const { sameId } = await leadTraits(check);
    if (sameId === null) return logFor(check);
    check.fail({
      code: 'merged',
      expected: 'two leads with different keys and bodies to be two leads',
      actual: `both were shown as lead ${quote(sameId.id)}`,
      exchanges: sameId.exchanges,
    });
    return null;
  },
  rows: [
    keyPlan('each of several keys that differ in one character makes a lead of its own', (check) =>
      inTurn(...nearKeys(0, check), ...nearKeys(7, check).slice(0, 3), { key: 1, form: 'capitals' }),
    ),
    // One lead alone may have been deleted by somebody.
    countedRecords((check) => inTurn(...nearKeys(2, check))),
    row('UUIDs of every version and case are taken as keys (recommended)', warnOfRefusedKeys),
    mergedLeads('phone', { key: 3, body: 'another name' }),
    mergedLeads('name', { key: 4, body: 'another phone' }),
    mergedLeads('content', { key: 5 }),
  ],
});

export const IDEM_06 = defineRequirement({
  ...keyed,
  id: 'IDEM-06',
  level: 'MUST',
  source: '§4.4, §5.2',
  title: "one tenant's key neither shows nor blocks another tenant's lead",
  needs: ['API_KEY', 'OTHER_API_KEY'],
  body: async ({ check }) => {
    const log = await logFor(check);
    if (!(await inviteOther(log))) check.blocked('an ordinary lead could not be created with OTHER_API_KEY');
    return log;
  },
  rows: [
    keyPlan(
      'a key that both tenants use makes each of them a lead of its own, whoever comes first',
      // Ids may count up in each tenant: a lead between moves the counters apart.
      inTurn(
        ...[{ key: 1 }, byOther({ key: 1 }), again({ key: 1 }), again(byOther({ key: 1 })), { key: 2 }],
        ...[byOther({ key: 3 }), { key: 3 }, again(byOther({ key: 3 })), again({ key: 3 })],
      ),
    ),
    keyPlan(
      'so does one under which both send the same body',
      inTurn({ key: 4, body: 'of both tenants' }, byOther({ key: 4, body: 'of both tenants' })),
    ),
    keyPlan(
      'an id that both are shown follows from the content, or counts up in each tenant',
      inTurn(
        ...[{ key: 5, of: 4, body: 'of both tenants' } as const, { key: 6 }],
        ...[{ key: 7, body: 'of both tenants' } as const, byOther({ key: 7, body: 'of both tenants' })],
        ...[{ key: 8, of: 7, body: 'of both tenants' } as const, { key: 9 }],
      ),
      { when: ({ entries }) => new Set(entries.slice(-2).map(({ exchange }) => identityOf(exchange))).size === 1 },
    ),
    row('no key shows both tenants one id', judgeSharedIds),
    keyPlan(
      'a key that both tenants use makes each of them a unit of its own, where units take keys',
      inTurn(
        ...[{ key: 10, route: 'units' } as const, byOther({ key: 10, route: 'units' })],
        ...[byOther({ key: 11, route: 'units' }), { key: 11, route: 'units' } as const],
      ),
    ),
    countedRecords(),
  ],
});

export const IDEM_07 = defineRequirement({
  ...keyed,
  id: 'IDEM-07',
  level: 'MUST',
  source: '§1, §4.4',
  title: 'random sequences of creates keep the rules of idempotency keys',
  long: true,
  beside: 'both',
  body: async ({ check }) => {
    const log = await logFor(check);
    await inviteOther(log);
    return (await playRandomPlans(log)) && check.run.path === null ? log : null;
  },
  rows: [
    keyPlan(
      'a key that is used for a lead and for a unit makes at most one of each',
      // A service may refuse the second, because the specification does not define the scope of a key.
      inTurn(own, { key: 0, route: 'units' }, { key: 1, route: 'units' }, { key: 1 }),
      { tell: tellAnswers('Is one key two keys on two routes?') },
    ),
    countedRecords(),
  ],
});

export const IDEM_08 = defineRequirement({
  ...keyed,
  id: 'IDEM-08',
  level: 'SHOULD',
  source: 'draft-ietf-httpapi-idempotency-key-header-07 §2.2, §2.6, §2.7',
  title: 'refusals of keys in progress, reused and malformed say what they are, and keys are as declared',
  rows: [
    keyRefusals(
      'a key in progress',
      [0, 1, 2].map((key) => [{ key }, { key }, { key }]),
      [409],
    ),
    keyRefusals('another body under a used key', inTurn({ key: 3 }, { key: 3, body: 'other' }), [409, 422]),
    row('a key that is no UUID is refused, where the document declares it a UUID', async (check, log: RequestLog) => {
      const loose = await sendPlanned(log, { key: 4, form: 'no UUID', body: 'one of many' });
      check.observe('How is a key that is no UUID answered (draft, section 2.2)?', describe(loose));
      if (!isSuccess(loose) || (await keyDeclaration(check))?.format !== 'uuid') return;
      check.warn({
        code: 'no-uuid-taken',
        expected: 'a key that is no UUID to be refused, as the document declares it a UUID',
        actual: describe(loose),
        exchanges: [loose],
      });
    }),
    // Longer than most columns for keys; it may be accepted or refused, and ENV judges how.
    row('a key of some hundred characters is answered', (_, log: RequestLog) =>
      sendPlanned(log, { key: 5, form: 'long', body: 'one of many' }),
    ),
  ],
});

/** The log of IDEM-09, and the first create in it. */
interface FirstCreate {
  readonly log: RequestLog;
  readonly plain: Exchange;
}

/** Why a create is refused, in words: a unit that takes one lead, or equal content, is a reason of its own. */
const refusal = async (log: RequestLog, of: number, answer: Exchange): Promise<string> =>
  isSuccess(await sendPlanned(log, { key: 100, of, times: 1 }))
    ? `refused: ${describe(answer)}`
    : `unknown, because the lead is refused under another key too: ${describe(answer)}`;

/** Observes whether a create that differs from the first one in its writing is a replay of it. */
const sameAsFirst = (question: string, differs: Partial<PlannedCreate>) =>
  row(question, async (check, { log, plain }: FirstCreate) => {
    const answer = await sendPlanned(log, { key: 0, times: 1, ...differs });
    const [one, two] = [identityOf(plain), identityOf(answer)];
    const isOne = one !== null && one === two ? 'yes, or equal bodies are one lead' : 'no';
    const shown = log.traits.shows === 'no id' ? 'unknown: the answers show no id' : isOne;
    const detail = `${quote(one)} and ${quote(two)}`;
    check.observe(question, isSuccess(answer) ? shown : await refusal(log, 0, answer), { detail });
  });

export const IDEM_09 = defineRequirement({
  ...keyed,
  id: 'IDEM-09',
  level: 'OBSERVE',
  source: '§4.4',
  title: 'how long a key is kept, what uses it up, and whether its case matters',
  body: async ({ check }): Promise<FirstCreate> => {
    const log = await logFor(check);
    return { log, plain: await sendPlanned(log, { key: 0, times: 1 }) };
  },
  rows: [
    sameAsFirst('Are upper and lower case one key?', { form: 'capitals' }),
    sameAsFirst(
      'Is a key in quotes, a string of RFC 9651, the same key (draft-ietf-httpapi-idempotency-key-header-07, section 2.1)?',
      { form: 'quoted' },
    ),
    sameAsFirst('Are the same fields in another order and spacing the same body?', { body: 'respelt' }),
    ...breakages.map((body, at) =>
      row(`whether a refused request uses up its key (${body})`, async (check, { log }: FirstCreate) => {
        const refused = await sendPlanned(log, { key: at + 1, body });
        if (refused.response === null || isSuccess(refused)) return;
        const corrected = await sendPlanned(log, { key: at + 1 });
        check.observe(
          `Does a refused request use up its key (${body})?`,
          isSuccess(corrected) ? 'no' : `${describe(refused)}, then ${await refusal(log, at + 1, corrected)}`,
        );
      }),
    ),
    row('how long a key is kept', async (check, { log, plain }: FirstCreate) => {
      const replay = await sendPlanned(log, { key: 0, times: 1 });
      check.observe(
        'How long is a key kept?',
        isSuccess(replay) && identityOf(replay) === identityOf(plain)
          ? 'longer than this check could wait; see IDEM-02 for the number of creates'
          : `not known: ${describe(replay)}`,
        { detail: `${((replay.receivedAtMs - plain.receivedAtMs) / 1000).toFixed(1)} s` },
      );
    }),
  ],
});
