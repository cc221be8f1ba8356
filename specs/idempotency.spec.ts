import {
  awayWithLeads,
  breakages,
  type Command,
  defineRequirement,
  describe,
  type Exchange,
  explainRefusals,
  findSharedIds,
  home,
  identityOf,
  inTurn,
  isRefusal,
  isSuccess,
  judgeCount,
  judgeLog,
  judgeLostAnswers,
  judgeStored,
  keyDeclaration,
  type KeyForm,
  leadTraits,
  logFor,
  manyOthers,
  matcher,
  mayMean,
  nearPlaces,
  observeOverlap,
  otherForms,
  type Party,
  pauseSince,
  playerOf,
  playRandomPlans,
  quote,
  raceOf,
  recommendReplays,
  removeUnits,
  requestBudget,
  type RequestLog,
  senderOf,
  unitBodies,
  vehiclesFor,
} from '../src/suite.js';

/** A key of one tenant, then of the other, each with a lead of its own, and both once more, unless replays show other leads anyway (see IDEM-01). */
const sharedKey = (key: number, replays: boolean, ...parties: readonly Party[]): Command[] =>
  inTurn(...parties.concat(replays ? parties : []).map((by) => ({ key, by })));

export const IDEM_01 = defineRequirement({
  id: 'IDEM-01',
  level: 'MUST',
  source: '§1, §4.4',
  title: 'a replay of a create makes no second lead, and shows the first where it succeeds',
  control: explainRefusals,
  writes: true,
  alone: true,
  needs: ['API_KEY'],
  body: async ({ check }) => {
    const log = await logFor(check);
    const play = playerOf(log);
    const twice = { times: 2 } as const;
    await play(inTurn({ key: 0, times: 4 }));
    for (const form of otherForms(check.target)) {
      // The second address form shows the same resources (§4): a key that made a lead under the first makes none under it.
      const there: Party = { name: home.name, options: { form } };
      await play(inTurn({ key: 1, body: 'one of many', by: there, times: 1 }, { key: 0, by: there, times: 1 }));
    }
    await play(
      inTurn(
        { key: 2, body: 'an optional field', ...twice },
        { key: 3, body: 'a letter beyond ASCII', ...twice },
        { key: 4, body: 'three thousand blanks', ...twice },
        { key: 5, form: 'capitals', body: 'one of many', ...twice },
      ),
    );
    if (check.target.keys.API_KEY_WRITE_LEADS !== undefined) {
      const writer: Party = { name: home.name, options: { as: 'API_KEY_WRITE_LEADS' } };
      await play(inTurn({ key: 6, body: 'one of many', by: writer, ...twice }));
    }
    if (!(await judgeLog(log))) return;
    recommendReplays(log);
    await judgeCount(log);
  },
});

export const IDEM_02 = defineRequirement({
  id: 'IDEM-02',
  level: 'MUST',
  source: '§1',
  title: 'a replay shows the same record even after many other creates',
  control: explainRefusals,
  writes: true,
  needs: ['API_KEY'],
  body: async ({ check }) => {
    const { laterCreates, unitCreates } = requestBudget(check);
    const log = await logFor(check);
    const contested = await logFor(check);
    const [play, contest] = [playerOf(log), playerOf(contested)];
    await play(inTurn({ key: 0, times: 1 }, { key: 1, route: 'units', times: 2 }));
    const rival = { key: 0, body: 'other' } as const;
    await contest(inTurn({ key: 0 }, rival, { key: 0 }));
    // If the key does not stop another body even now, time is not the cause (see IDEM-04).
    const isHeld = contested.anomaly() === null;
    const others = await play([...manyOthers(laterCreates), ...manyOthers(unitCreates, 'units')]);
    // Keys that are kept for a short time only show after a while.
    if (check.run.depth === 'certify') await pauseSince(log, 5_000);
    const made = others.filter(({ body, exchange }) => body.route === 'leads' && isSuccess(exchange)).length;
    if (made < laterCreates / 2) check.blocked(`only ${made} of ${laterCreates} further leads could be created`);
    await play(inTurn({ key: 0, times: 1 }, { key: 1, route: 'units', times: 1 }));
    // A forgotten key would take this for a new lead, where its replay might be saved by a comparison of contents.
    if (isHeld) await contest([[rival]]);
    const holds = (await judgeLog(log)) && (!isHeld || (await judgeLog(contested, { replays: false })));
    check.observe('How many other creates does a key outlive?', `${holds ? 'at least' : 'fewer than'} ${made}`);
    if (holds) await judgeCount(log);
    await removeUnits(log);
  },
});

export const IDEM_03 = defineRequirement({
  id: 'IDEM-03',
  level: 'MUST',
  source: '§1, §4.4',
  title: 'creates with one key at the same time make one lead',
  control: explainRefusals,
  writes: true,
  needs: ['API_KEY'],
  body: async ({ check }) => {
    const log = await logFor(check);
    const play = playerOf(log);
    const { raceRounds, racers, unitRaces } = requestBudget(check);
    const racing = (key: number, count: number): { key: number }[] => Array.from({ length: count }, () => ({ key }));
    let holds = true;
    for (let round = 0; round < raceRounds && holds; round += 1) {
      await play([raceOf(round, racing(round, racers)), [{ key: round }]]);
      holds = await judgeLog(log, log.traits);
    }
    judgeLostAnswers(log);
    const raced = observeOverlap(log);
    const units = await logFor(check);
    for (let round = 0, race = playerOf(units); round < unitRaces && holds; round += 1) {
      const answers = await race([racing(round, 4).map((one) => ({ ...one, route: 'units' as const }))]);
      holds = (await judgeLog(units)) && answers.some(({ exchange }) => isSuccess(exchange));
    }
    await judgeCount(log);
    await judgeCount(units);
    await removeUnits(units);
    if (raced === 0)
      check.blocked(
        'no two requests overlapped: the target answered them one after another, or held them back with 429',
      );
  },
});

export const IDEM_04 = defineRequirement({
  id: 'IDEM-04',
  level: 'MUST',
  source: '§1, §4.4',
  title: 'another body under a used key never makes or changes a lead',
  control: explainRefusals,
  writes: true,
  needs: ['API_KEY'],
  body: async ({ check }) => {
    const log = await logFor(check);
    const { replays } = log.traits;
    const play = playerOf(log);
    const rounds = check.run.depth === 'gate' ? 2 : 6;
    const statuses = new Set<string>();
    let holds = true;
    for (let key = 0; key < rounds && holds; key += 1) {
      // At last one that differs in all, so that no later one undoes what it did.
      const rivals = ['another phone', 'another name', 'another unit', 'other'] as const;
      const [phone, ...others] = rivals.map((body) => ({ key, body }));
      // Where a replay never shows its lead, IDEM-01 says so.
      const again = replays ? [{ key }] : [];
      const entries = await play(inTurn({ key }, phone ?? { key }, ...again, ...others, ...again));
      for (const { body, exchange } of entries)
        if (body.label !== entries[0]?.body.label)
          statuses.add(isSuccess(exchange) ? 'the first answer' : String(exchange.response?.status ?? 'no answer'));
      holds = (await judgeLog(log, { replays })) && (await judgeStored(log, entries));
    }
    for (let key = rounds; key < rounds * 3 && holds; key += 1) {
      const [own, other] = [{ key }, { key, body: 'other' }] as const;
      await play([[own, other, own, other]]);
      if (log.anomaly() !== null && (await isRacedByItself(log))) {
        check.observe(
          'Could two bodies be sent at the same time under one key?',
          'no: equal bodies already make two leads (see IDEM-03)',
        );
        return;
      }
      holds = await judgeLog(log, { replays: false });
    }
    const unit = { key: rounds * 3, route: 'units' } as const;
    const units = holds ? await play(inTurn(unit, { ...unit, body: 'other' })) : [];
    if (holds) holds = (await judgeLog(log, { replays: false })) && (await judgeStored(log, units));
    check.observe('How is another body under a used key answered?', [...statuses].join(', '));
    await judgeCount(log);
    await removeUnits(log);
  },
});

/** Whether the same body, raced with itself, makes two leads as well: then it is not the other body that the key fails to stop. */
async function isRacedByItself({ check }: RequestLog): Promise<boolean> {
  const control = await logFor(check);
  const play = playerOf(control);
  for (let key = 0; key < 4 && control.anomaly() === null; key += 1) await play([[0, 1, 2, 3].map(() => ({ key }))]);
  return control.anomaly() !== null;
}

export const IDEM_05 = defineRequirement({
  id: 'IDEM-05',
  level: 'MUST',
  source: '§4.4',
  title: 'keys that differ in one character are different keys',
  control: explainRefusals,
  writes: true,
  needs: ['API_KEY'],
  body: async ({ check }) => {
    const { sameId } = await leadTraits(check);
    if (sameId !== null) {
      check.fail({
        code: 'merged',
        expected: 'two leads with different keys and bodies to be two leads',
        actual: `both were shown as lead ${quote(sameId.id)}`,
        exchanges: sameId.exchanges,
      });
      return;
    }
    const log = await logFor(check);
    const play = playerOf(log);
    const places = nearPlaces.slice(0, requestBudget(check).nearKeys);
    const forms: KeyForm[] = [...places.map((near) => ({ near })), { version: 7 }, { version: 1 }];
    const near = (key: number): Command[] => inTurn({ key }, ...forms.map((form) => ({ key, form })));
    await play([...near(0), [{ key: 1, form: 'capitals' }]]);
    if (!(await judgeLog(log, { replays: false }))) return;
    const lost = await judgeCount(log, [home], { several: false });
    // One lead alone may have been deleted by somebody.
    if (lost === 1) {
      await play(near(2));
      await judgeCount(log, [home], { several: false });
    }
    check.observe(
      'In how many places of the key was one character changed?',
      `${places.length} of ${nearPlaces.length}`,
    );
    await warnOfRefusedKeys(log);
    // Leads that have something in common should be leads of their own: a service may merge or refuse them, whatever their keys are.
    const { exclusive } = await vehiclesFor(check);
    const likenesses = [
      ['phone', 'another name'],
      ['name', 'another phone'],
      // If a vehicle takes one lead at a time, the vehicle is the reason for the refusal of an equal lead.
      ...(exclusive ? [] : [['content', 'own'] as const]),
    ] as const;
    const first = log.entries.find(({ exchange }) => isSuccess(exchange))?.exchange;
    for (const [at, [field, body]] of likenesses.entries()) {
      const [alike] = (await play([[{ key: 3 + at, of: 0, body, times: 1 }]])).slice(-1);
      if (first === undefined || alike === undefined) return;
      const [one, two] = [identityOf(first), identityOf(alike.exchange)];
      if (isSuccess(alike.exchange) && !(log.traits.shows === 'id' && one !== null && one === two)) continue;
      check.warn({
        code: 'alike-merged',
        field,
        expected: `two leads with different keys and the same ${field} to be two leads`,
        actual: isSuccess(alike.exchange)
          ? `both show lead ${quote(one)}`
          : `the second is refused: ${describe(alike.exchange)}`,
        exchanges: [first, alike.exchange],
      });
      return;
    }
  },
});

/** A warning for UUIDs that are refused as keys, unless the document declares a pattern: the specification says no more than "UUID". */
async function warnOfRefusedKeys(log: RequestLog): Promise<void> {
  const { check } = log;
  const refused = log.entries.filter(
    ({ form, says, exchange }) => form !== 'usual' && says === 'nothing' && isRefusal(exchange),
  );
  const [one] = refused;
  if (one === undefined || /"(pattern|\$ref)":/.test(JSON.stringify((await keyDeclaration(check)) ?? null))) return;
  // Under a usual key the lead is taken.
  const usual = await log.settle({ ...one, key: check.fresh('usual key'), form: 'usual' });
  if (!isSuccess(usual)) return;
  check.warn({
    code: 'uuid-refused',
    expected: 'a UUID of any version and case to be accepted as a key',
    actual: `refused are keys such as ${refused.map(({ key }) => key).join(' and ')}`,
    exchanges: [one.exchange, usual],
  });
}

export const IDEM_06 = defineRequirement({
  id: 'IDEM-06',
  level: 'MUST',
  source: '§4.4, §5.2',
  title: "one tenant's key neither shows nor blocks another tenant's lead",
  control: explainRefusals,
  writes: true,
  needs: ['API_KEY', 'OTHER_API_KEY'],
  body: async ({ check }) => {
    const log = await logFor(check);
    const other = await awayWithLeads(log);
    if (other === null) return check.blocked('an ordinary lead could not be created with OTHER_API_KEY');
    const play = playerOf(log);
    // Ids may count up in each tenant: a lead between moves the counters apart.
    const { replays } = log.traits;
    await play([...sharedKey(1, replays, home, other), [{ key: 2 }], ...sharedKey(3, replays, other, home)]);
    if (!(await judgeLog(log, { replays }))) return;
    const both = { body: 'of both tenants', times: 1 } as const;
    for (const key of [4, 7]) {
      const answers = (await play(inTurn({ ...both, key }, { ...both, key, by: other }))).map(
        ({ exchange }) => exchange,
      );
      if (new Set(answers.map(identityOf)).size > 1 || !answers.every(isSuccess)) break;
      // Equal ids may follow from the content, or count up in each tenant.
      await play(inTurn({ ...both, key: key + 1, of: key }, { key: key + 2 }));
    }
    if (!(await judgeLog(log, { replays: false }))) return;
    await judgeCount(log, [home, other], { several: false });
    const shared = findSharedIds(log, home, other);
    if (shared !== null) check.fail(shared);
    const units = await logFor(check);
    const [one, two] = [
      { key: 1, route: 'units' },
      { key: 2, route: 'units' },
    ] as const;
    const entries = await playerOf(units)(inTurn(one, { ...one, by: other }, { ...two, by: other }, two));
    if (await judgeLog(units, { replays: false })) await judgeStored(units, entries);
    await removeUnits(units);
  },
});

export const IDEM_07 = defineRequirement({
  id: 'IDEM-07',
  level: 'MUST',
  source: '§1, §4.4',
  title: 'random sequences of creates keep the rules of idempotency keys',
  control: explainRefusals,
  long: true,
  beside: 'both',
  writes: true,
  needs: ['API_KEY'],
  body: async ({ check }) => {
    const log = await logFor(check);
    const other = await awayWithLeads(log);
    if (!(await playRandomPlans(log, other)) || check.run.path !== null) return;
    await judgeCount(log, other === null ? [home] : [home, other]);
    if ((await unitBodies(check)) === null) return;
    // One key for a lead and for a unit: a service may refuse the second, because the specification does not define the scope of a key.
    const routes = await logFor(check);
    const [lead, unit, before, after] = [
      { key: 0 },
      { key: 0, route: 'units' },
      { key: 1, route: 'units' },
      { key: 1 },
    ] as const;
    const entries = await playerOf(routes)(inTurn(lead, unit, before, after));
    if (await judgeLog(routes, { replays: false })) await judgeStored(routes, entries);
    check.observe(
      'Is one key two keys on two routes?',
      entries.map(({ body, exchange }) => `${body.route}: ${describe(exchange)}`).join('; '),
    );
    await removeUnits(routes);
  },
});

/** Statuses that say something else of a request than that its key is in use (RFC 9110 §15.5, RFC 6585). */
const saysOtherwise = matcher<Exchange>(
  'misleading-status',
  'a refusal of a used key not to speak of credentials, paths, methods or limits (RFC 9110 §15.5, RFC 6585)',
  (exchange) => !mayMean(exchange, 401, 403, 404, 405, 429),
  describe,
);

export const IDEM_08 = defineRequirement({
  id: 'IDEM-08',
  level: 'SHOULD',
  source: 'draft-ietf-httpapi-idempotency-key-header-07 §2.2, §2.6, §2.7',
  title: 'refusals of keys in progress, reused and malformed say what they are, and keys are as declared',
  control: explainRefusals,
  writes: true,
  needs: ['API_KEY'],
  body: async ({ check }) => {
    const log = await logFor(check);
    const [play, send] = [playerOf(log), senderOf(log)];
    for (const key of [0, 1, 2]) await play([[{ key }, { key }, { key }]]);
    const refusals = log.volleys.flat().filter(isRefusal);
    refusals.every((one) => check.expect(one, saysOtherwise));
    check.observe(
      'How is a key in progress answered?',
      refusals.length === 0
        ? 'never refused: the requests waited, or were never seen to overlap'
        : [...new Set(refusals.map(describe))].join(', '),
    );
    const first = await send({ key: 3 });
    const conflict = await send({ key: 3, body: 'other' });
    if (isSuccess(first) && isRefusal(conflict)) check.expect([first, conflict], saysOtherwise, conflict);
    const loose = await send({ key: 4, form: 'no UUID', body: 'one of many' });
    if (isSuccess(loose) && (await keyDeclaration(check))?.format === 'uuid')
      check.warn({
        code: 'no-uuid-taken',
        expected: 'a key that is no UUID to be refused, as the document declares it a UUID',
        actual: describe(loose),
        exchanges: [loose],
      });
    const notFollowed = [
      ...(refusals.every((one) => mayMean(one, 409)) ? [] : ['409 for a key in progress (section 2.7)']),
      ...(isSuccess(first) && !mayMean(conflict, 409, 422) ? ['422 or 409 for another body (section 2.7)'] : []),
      ...(isSuccess(loose) ? ['a UUID as key (section 2.2)'] : []),
    ];
    check.observe(
      'What of draft-ietf-httpapi-idempotency-key-header-07 is not followed?',
      notFollowed.join('; ') || 'nothing that was tried',
    );
    // Longer than most columns for keys; it may be accepted or refused, and ENV judges how.
    await send({ key: 5, form: 'long', body: 'one of many' });
  },
});

export const IDEM_09 = defineRequirement({
  id: 'IDEM-09',
  level: 'OBSERVE',
  source: '§4.4',
  title: 'how long a key is kept, what uses it up, and whether its case matters',
  control: explainRefusals,
  writes: true,
  needs: ['API_KEY'],
  body: async ({ check }) => {
    const log = await logFor(check);
    const send = senderOf(log);
    const plain = await send({ key: 0, times: 1 });
    /** Why a create is refused, in words: a unit that takes one lead, or equal content, is a reason of its own. */
    const refusal = async (of: number, answer: Exchange): Promise<string> =>
      isSuccess(await send({ key: 100, of, times: 1 }))
        ? `refused: ${describe(answer)}`
        : `unknown, because the lead is refused under another key too: ${describe(answer)}`;
    for (const [form, question] of [
      ['capitals', 'Are upper and lower case one key?'],
      [
        'quoted',
        'Is a key in quotes, a string of RFC 9651, the same key (draft-ietf-httpapi-idempotency-key-header-07, section 2.1)?',
      ],
    ] as const) {
      const answer = await send({ key: 0, form, times: 1 });
      const [one, two] = [identityOf(plain), identityOf(answer)];
      const isOne = one !== null && one === two ? 'yes, or equal bodies are one lead' : 'no';
      const observed = !isSuccess(answer)
        ? await refusal(0, answer)
        : log.traits.shows === 'no id'
          ? 'unknown: the answers show no id'
          : isOne;
      check.observe(question, observed, { detail: `${quote(one)} and ${quote(two)}` });
    }
    const respelt = await send({ key: 0, body: 'respelt' });
    check.observe(
      'Are the same fields in another order and spacing the same body?',
      isSuccess(respelt) ? 'yes' : `no: ${describe(respelt)}`,
    );
    for (const [at, body] of breakages.entries()) {
      const refused = await send({ key: at + 1, body });
      if (refused.response === null || isSuccess(refused)) continue;
      const corrected = await send({ key: at + 1 });
      check.observe(
        `Does a refused request use up its key (${body})?`,
        isSuccess(corrected) ? 'no' : `${describe(refused)}, then ${await refusal(at + 1, corrected)}`,
      );
    }
    const replay = await send({ key: 0, times: 1 });
    check.observe(
      'How long is a key kept?',
      isSuccess(replay) && identityOf(replay) === identityOf(plain)
        ? 'longer than this check could wait; see IDEM-02 for the number of creates'
        : `not known: ${describe(replay)}`,
      { detail: `${((replay.receivedAtMs - plain.receivedAtMs) / 1000).toFixed(1)} s` },
    );
  },
});
