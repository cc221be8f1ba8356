import {
  away,
  blockUnlessSeen,
  breakages,
  compareKeys,
  countLeads,
  declaresUuid,
  defineRequirement,
  delays,
  describe,
  freshBody,
  identityOf,
  isRefusal,
  isSuccess,
  judgeBodiesAtOnce,
  judgeByModel,
  judgeLateReplays,
  judgeLostAnswers,
  judgeNearKeys,
  judgeOptionalField,
  judgeRace,
  judgeReplay,
  judgeRivals,
  judgeSameAnswer,
  judgeSecondForm,
  judgeSharedKeys,
  judgeStored,
  judgeUnitConflict,
  judgeUnitRace,
  judgeUnitTenants,
  longKey,
  matcher,
  mayMean,
  observeOverlap,
  observeRefusedKey,
  openConnections,
  openRequestLog,
  otherBodies,
  requestBudget,
  respell,
  volley,
  recommendReplays,
  replayInOtherWays,
  type Exchange,
  explainRefusals,
} from '../src/suite.js';

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
    const { log, known } = await openRequestLog(check);
    const key = check.fresh('replayed key');
    const body = await freshBody(check, 'the lead');
    const first = await log.settle(key, body);
    if (!isSuccess(first)) check.blocked(`the lead to replay could not be created: ${describe(first)}`);
    // A fresh time stamp can be the old one still where the first replay came within the same tick.
    let isSame = true;
    for (const when of ['at once', 'for the second time', 'for the third time']) {
      const replay = await log.settle(key, body);
      if (!judgeReplay(check, known, body, first, replay, when)) return;
      isSame &&= judgeSameAnswer(check, body, first, replay, when);
    }
    if (!(await judgeSecondForm(log, key, body, first))) return;
    await judgeOptionalField(check, log);
    await replayInOtherWays(log);
    if (!log.judge('unexplained', 'every replay that succeeds to show the lead of the first create')) return;
    recommendReplays(log);
    const counted = await countLeads(log);
    blockUnlessSeen(check, known, counted);
    if (!counted && known.shows === 'no id')
      check.observe(
        'Can a second lead be distinguished from the first?',
        'only by the sent fields that the answers show: they show no id, and there is no list to count in',
      );
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
    await judgeLateReplays(check);
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
    const { log, known } = await openRequestLog(check);
    const { raceRounds, racers } = requestBudget(check);
    const races: Exchange[][] = [];
    for (let round = 0, holds = true; round < raceRounds && holds; round += 1) {
      const key = check.fresh('raced key');
      const body = await freshBody(check, `raced lead ${round + 1}`);
      // Idle connections are closed after a few seconds, so they are opened again now and then; last, as making a body may take a while.
      if (round % 8 === 0) await openConnections(check, racers);
      const answers = await volley(log, key, body, delays(round, racers, races.at(-1)));
      races.push(answers);
      const isMade = await judgeRace(log, answers, key, body);
      holds =
        log.judge(
          'unexplained',
          'several creates with one key at the same time to make one lead, which every success shows',
        ) && isMade;
    }
    judgeLostAnswers(log, races, raceRounds);
    const raced = observeOverlap(check, races, racers);
    const counted = await countLeads(log);
    await judgeUnitRace(check);
    blockUnlessSeen(check, known, counted);
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
    const { log, known } = await openRequestLog(check);
    const rounds = check.run.depth === 'gate' ? 2 : 6;
    const statuses = new Set<string>();
    let holds = true;
    for (let round = 1; round <= rounds && holds; round += 1) {
      const key = check.fresh('contested key');
      const body = await freshBody(check, `body A${round}`);
      const first = await log.settle(key, body);
      if (!isSuccess(first)) check.blocked(`the first lead could not be created: ${describe(first)}`);
      const rivals = await otherBodies(check, body, round);
      holds =
        (await judgeRivals(log, known, { key, body, first }, rivals, statuses)) &&
        (await judgeStored(check, first, body, rivals));
    }
    for (let round = 1; round <= rounds * 2 && holds; round += 1) {
      const isOne = await judgeBodiesAtOnce(log, known, round);
      if (isOne === null) return;
      holds = isOne;
    }
    await judgeUnitConflict(check);
    check.observe('How is another body under a used key answered?', [...statuses].join(', '));
    blockUnlessSeen(check, known, await countLeads(log));
  },
});

export const IDEM_05 = defineRequirement({
  id: 'IDEM-05',
  level: 'MUST',
  source: '§4.4',
  title: 'keys that differ in one character are different keys',
  control: explainRefusals,
  writes: true,
  needs: ['API_KEY'],
  body: async ({ check }) => {
    await judgeNearKeys(check);
  },
});

export const IDEM_06 = defineRequirement({
  id: 'IDEM-06',
  level: 'MUST',
  source: '§4.4, §5.2',
  title: "one tenant's key neither shows nor blocks another tenant's lead",
  control: explainRefusals,
  writes: true,
  needs: ['API_KEY', 'OTHER_API_KEY'],
  body: async ({ check }) => {
    const other = away(check);
    if (other === null) return;
    await judgeSharedKeys(check, other);
    await judgeUnitTenants(check, other);
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
    await judgeByModel(check);
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
    const { log } = await openRequestLog(check);
    await openConnections(check, 3);
    const raced: Exchange[] = [];
    for (const round of [1, 2, 3]) {
      const [key, body] = [check.fresh('raced key'), await freshBody(check, `raced lead ${round}`)];
      raced.push(...(await volley(log, key, body, [0, 0, 0])));
    }
    const refusals = raced.filter(isRefusal);
    refusals.every((one) => check.expect(one, saysOtherwise));
    check.observe(
      'How is a key in progress answered?',
      refusals.length === 0
        ? 'never refused: the requests waited, or were never seen to overlap'
        : [...new Set(refusals.map(describe))].join(', '),
    );
    const key = check.fresh('contested key');
    const first = await log.settle(key, await freshBody(check, 'the first body'));
    const conflict = await log.post(key, await freshBody(check, 'the other body'));
    if (isSuccess(first) && isRefusal(conflict)) check.expect([first, conflict], saysOtherwise, conflict);
    const noUuid = `not a uuid ${check.fresh('loose key').slice(0, 8)}`;
    const loose = await log.post(noUuid, await freshBody(check, 'the lead of a loose key'));
    if (isSuccess(loose) && (await declaresUuid(check)))
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
    await log.post(longKey(check), await freshBody(check, 'the lead of a long key'));
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
    const { log } = await openRequestLog(check);
    const body = await freshBody(check, 'the lead of both cases');
    const key = `${check.fresh('case key').slice(0, -1)}a`;
    const lower = await log.settle(key, body);
    const upper = await log.settle(key.toUpperCase(), body);
    const cases = await compareKeys(log, body, [lower, upper], 'the upper-case form');
    check.observe('Are upper and lower case one key?', ...cases);
    const quoted = await log.settle(`"${key}"`, body);
    check.observe(
      'Is a key in quotes, a string of RFC 9651, the same key (draft-ietf-httpapi-idempotency-key-header-07, section 2.1)?',
      ...(await compareKeys(log, body, [lower, quoted], 'the key in quotes')),
    );
    const respelt = await log.post(key, respell(body));
    check.observe(
      'Are the same fields in another order and spacing the same body?',
      isSuccess(respelt) ? 'yes' : `no: ${describe(respelt)}`,
    );
    for (const breakage of breakages) await observeRefusedKey(log, breakage);
    const replay = await log.settle(key, body);
    check.observe(
      'How long is a key kept?',
      isSuccess(replay) && identityOf(replay) === identityOf(lower)
        ? 'longer than this check could wait; see IDEM-02 for the number of creates'
        : `not known: ${describe(replay)}`,
      { detail: `${((replay.receivedAtMs - lower.receivedAtMs) / 1000).toFixed(1)} s` },
    );
  },
});
