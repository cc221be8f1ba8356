import { isSuccess } from '../../service/index.js';
import { bodyOf, freshBody, type LeadBody } from '../lead-body.js';
import { home, type Party, type RequestLog } from '../request-log.js';

/** A lead that is sent twice, and how. A service may refuse it. */
interface Twice {
  readonly body: LeadBody;
  readonly key: string;
  readonly party?: Party;
}

/** Sends leads twice that a service may treat in a way of their own, for the record that the model judges. */
export async function replayInOtherWays(log: RequestLog): Promise<void> {
  const { check } = log;
  const draw = async (label: string, change: (fields: LeadBody['fields']) => object = (fields) => fields) => {
    const { fields, marks } = await freshBody(check, label);
    return bodyOf(label, { ...change(fields) }, marks, false);
  };
  const long = await draw('a long lead');
  const writer: Party = { name: 'the write:leads key', options: { as: 'API_KEY_WRITE_LEADS' } };
  const ways: Twice[] = [
    {
      body: await draw('a lead with a letter beyond ASCII', (fields) => ({
        ...fields,
        name: `Zoë ${String(fields['name'])}`,
      })),
      key: check.fresh('key of a lead with a letter beyond ASCII'),
    },
    {
      body: { ...long, bytes: Buffer.concat([Buffer.alloc(3_000, ' '), long.bytes]) },
      key: check.fresh('key of a long lead'),
    },
    { body: await draw('a lead under a key in capitals'), key: check.fresh('key in capitals').toUpperCase() },
    ...(check.target.keys.API_KEY_WRITE_LEADS === undefined
      ? []
      : [
          { body: await draw('a lead of the write:leads key'), key: check.fresh('key of a scoped key'), party: writer },
        ]),
  ];
  for (const { body, key, party = home } of ways)
    if (isSuccess(await log.settle(key, body, party))) await log.settle(key, body, party);
}
