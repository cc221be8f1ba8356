import { dataOf, differences, isSuccess, paths, quote, recordIn, settled } from '../service/index.js';
import { postPatiently, refusedLead } from '../api/index.js';
import type { Exchange } from '../http/index.js';
import type { Check } from '../run/index.js';
import type { TargetTraits } from './model/history.js';
import { identityOf, searchable, showsBody } from './lead-answer.js';
import { freshBody, type LeadBody } from './lead-body.js';
import { recordsOf, readLeads, type LeadList } from './lead-list.js';
import { type Entry, home, RequestLog } from './request-log.js';
import { byDepth } from './key-plan.js';

/** What two ordinary creates and a replay show of the target. */
export interface LeadTraits extends TargetTraits {
  /** The declared list shows leads that were just made. */
  readonly listed: boolean;
  /** How many pages of the list each further walk may read; 0 where there is no list, or one too long to find new leads in. */
  readonly pagesPerWalk: number;
  /** Two leads with nothing in common were shown with one id. */
  readonly sameId: { readonly id: string; readonly exchanges: readonly Exchange[] } | null;
  /** Whether a replay shows the lead of its create. IDEM-01 reports it where not; other checks do not report it again. */
  readonly replays: boolean;
}

/** Before anything is known. */
const unknownTraits: LeadTraits = {
  shows: 'no id',
  echoes: false,
  listed: false,
  pagesPerWalk: 0,
  sameId: null,
  replays: false,
};

/** Makes two ordinary creates and a replay, once in a run: whether leads can be made at all and how they can be told apart. Blocks where they cannot. */
export async function leadTraits(check: Check): Promise<LeadTraits> {
  return check.once('traits of created leads', async () => {
    const log = new RequestLog(check, unknownTraits);
    const create = async (label: string): Promise<Entry> => {
      let tries = 0;
      const exchange = await postPatiently(check, async () => {
        const body = await freshBody(check, `${label}, try ${(tries += 1)}`);
        return log.settle({ key: check.fresh('idempotency key'), form: 'usual', body, party: home });
      });
      const entry = log.entries.at(-1);
      return isSuccess(exchange) && entry !== undefined
        ? entry
        : check.blocked(`an ordinary lead could not be created (see LEAD-01): ${refusedLead(check, exchange)}`);
    };
    const creates = [await create('lead 1'), await create('lead 2')] as const;
    const [, last] = creates;
    const bodies = creates.map(({ body }) => body);
    const ids = creates.map(({ exchange }) => identityOf(exchange));
    const [id = null] = ids;
    const same = id !== null && ids.every((one) => one === id);
    const echoes = creates.every(({ exchange, body }) => showsBody(searchable(dataOf(exchange)), body));
    const pagesPerWalk = byDepth(check, [10, 40]);
    const again = await log.settle({ key: last.key, form: 'usual', body: last.body, party: home });
    const shows = !same && ids.every((one) => one !== null) ? 'id' : 'no id';
    const showsAll = (list: LeadList | null): boolean =>
      list !== null && bodies.every((body) => recordsOf(list, body).length === 1);
    const read = (): Promise<LeadList | null> => readLeads(check, pagesPerWalk, home);
    // If the answers do not show the leads, only a list does: wait for it.
    const list =
      shows === 'no id' && !echoes && !same
        ? await settled(check, read, (one) => one === null || showsAll(one))
        : await read();
    const listed = showsAll(list);
    if (shows === 'no id' && !echoes && !listed && !same) {
      const isHidden = list?.complete ?? (await showsNone(check, bodies));
      const reason = 'neither the answer to a create nor a declared list shows the lead';
      if (isHidden)
        check.notApplicable(
          `${reason}: one lead cannot be distinguished from two, so the effect of a key cannot be observed`,
        );
      check.blocked(`it cannot be observed: ${reason}, as far as the list could be read`);
    }
    return {
      shows,
      echoes,
      listed,
      pagesPerWalk: list === null || (!listed && !list.complete) ? 0 : pagesPerWalk,
      sameId: same ? { id, exchanges: creates.map(({ exchange }) => exchange) } : null,
      replays: isSameLead(last, again),
    };
  });
}

/** Whether no GET on leads is declared, or it answers with something else than leads, such as totals. */
async function showsNone(check: Check, bodies: readonly LeadBody[]): Promise<boolean> {
  if ((await check.contract()).contract.operation('GET', paths.leads) === null) return true;
  const exchange = await check.send({ path: paths.leads });
  const text = searchable(dataOf(exchange));
  return isSuccess(exchange) && !bodies.some((body) => showsBody(text, body));
}

function isSameLead({ exchange, body }: Entry, replay: Exchange): boolean {
  const shown = (answer: Exchange): boolean => showsBody(searchable(dataOf(answer)), body);
  const [one, two] = [recordIn(exchange), recordIn(replay)];
  const isKept = (name: string): boolean => differences({ [name]: one?.[name] }, { [name]: two?.[name] }).length === 0;
  return (
    isSuccess(replay) &&
    identityOf(exchange) === identityOf(replay) &&
    shown(exchange) === shown(replay) &&
    Object.keys(body.fields).every(isKept)
  );
}

/** A log for one check, once the target was tried (`leadTraits`), and what replays show where that is asked for; blocks where leads cannot be told apart by anything. */
export async function logFor(check: Check, asked: { readonly replays?: true } = {}): Promise<RequestLog> {
  const traits = { ...(await leadTraits(check)), ...asked };
  if (traits.sameId !== null && !traits.echoes && !traits.listed) {
    check.blocked(
      `leads cannot be distinguished: two with different data were both shown as ${quote(traits.sameId.id)} (see IDEM-05)`,
    );
  }
  return new RequestLog(check, traits);
}
