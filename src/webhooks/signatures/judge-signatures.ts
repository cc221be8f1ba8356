import { quote } from '../../service/index.js';
import { headerValues, type Delivery } from '../delivery.js';
import type { HookReport, JudgeSettings } from '../judge/hook-report.js';
import { diagnose } from './signature-diagnosis.js';
import { sayForm, verifyingForms, type SignatureForm } from './signature-forms.js';

const isSigned = (delivery: Delivery, { header }: JudgeSettings): boolean =>
  headerValues(delivery, header).some((value) => value.trim() !== '');

/** HOOK-01: the signature header on every delivery. */
export function judgePresence(report: HookReport, deliveries: readonly Delivery[], settings: JudgeSettings): void {
  const { header, secret } = settings;
  for (const [at, delivery] of deliveries.filter((one) => !isSigned(one, settings)).entries()) {
    const names = new Set(at < 20 ? delivery.headers.map(([name]) => name) : []);
    names.delete(header.toLowerCase());
    const other = [...names].find((name) => verifyingForms(delivery, secret, name).length > 0);
    const hint = other && `; its header ${other} carries a valid signature: if that is the name, set SIGNATURE_HEADER`;
    const state = headerValues(delivery, header).length === 0 ? 'has none' : 'has it empty';
    report.add('HOOK-01', `${state} ${delivery.tenant} ${other ?? ''}`, delivery, {
      code: 'no-signature',
      expected: `the header ${header} on every delivery`,
      actual: ` ${state}${hint ?? ''}`,
    });
  }
}

/** A delivery and the readings of its signature that verify. */
interface Verified {
  readonly delivery: Delivery;
  readonly forms: readonly [SignatureForm, ...SignatureForm[]];
}

const areEqual = (one: SignatureForm, other: SignatureForm): boolean => sayForm(one) === sayForm(other);

/** The reading that most deliveries share. */
function commonest(verified: readonly Verified[]): SignatureForm | undefined {
  const counts = new Map<string, { readonly form: SignatureForm; count: number }>();
  for (const { forms } of verified)
    for (const [said, form] of new Map(forms.map((one) => [sayForm(one), one])))
      counts.set(said, { form, count: (counts.get(said)?.count ?? 0) + 1 });
  return [...counts.values()].sort((a, b) => b.count - a.count)[0]?.form;
}

/** HOOK-02: the HMAC-SHA256 of the raw body under the tenant's secret, written the same way in every delivery. */
export function judgeSignatures(
  report: HookReport,
  deliveries: readonly Delivery[],
  settings: JudgeSettings,
  strayed: ReadonlySet<number>,
): void {
  const { header, suspects = [] } = settings;
  const add = (code: string, part: string, delivery: Delivery, expected: string, actual: string): void =>
    report.add('HOOK-02', `${code} ${part}`, delivery, { code, expected, actual });
  const expected = `${header} to be the HMAC-SHA256 of the exact raw body under the tenant's secret`;
  const verified: Verified[] = [];
  const shown = (delivery: Delivery): string => {
    const values = headerValues(delivery, header);
    return ` has ${quote(values.length === 1 ? values[0] : values)}`;
  };
  let diagnosed = 0;
  for (const delivery of deliveries) {
    const [secret, otherSecret] =
      delivery.tenant === 'main' ? [settings.secret, settings.otherSecret] : [settings.otherSecret, settings.secret];
    if (secret === null || !delivery.whole || strayed.has(delivery.seq) || !isSigned(delivery, settings)) continue;
    report.judged['HOOK-02'] += 1;
    const [form, ...more] = verifyingForms(delivery, secret, header);
    if (form !== undefined) {
      verified.push({ delivery, forms: [form, ...more] });
      continue;
    }
    diagnosed += 1;
    const cause =
      diagnosed > 40 ? null : diagnose(delivery, { secret, otherSecret, header, suspects, others: deliveries });
    const said = cause ?? 'no known message, key or encoding gives that value';
    add('wrong-signature', cause ?? 'unknown', delivery, expected, `${shown(delivery)}: ${said}`);
  }
  let isSameWithin = true;
  for (const tenant of ['main', 'other'] as const) {
    const own = verified.filter((one) => one.delivery.tenant === tenant);
    const most = commonest(own);
    if (most === undefined) continue;
    for (const { delivery, forms } of own) {
      if (forms.some((form) => areEqual(form, most))) continue;
      isSameWithin = false;
      add(
        'form-changed',
        sayForm(forms[0]),
        delivery,
        `the same form of signature in every delivery: ${sayForm(most)}`,
        `${shown(delivery)}: ${sayForm(forms[0])}`,
      );
    }
    report.observe(
      'HOOK-02',
      `How is the signature written${tenant === 'other' ? ' for the second tenant' : ''}?`,
      `${sayForm(most)}; ${own.length} deliveries verified`,
    );
  }
  // Each tenant's secret may be written in a way of its own.
  const isWrittenAs = (form: SignatureForm, { forms }: Verified): boolean =>
    forms.some((one) => areEqual({ ...one, key: form.key }, form));
  const [first] = verified;
  const isSame = first?.forms.some((form) => verified.every((one) => isWrittenAs(form, one)));
  if (first === undefined || isSame || !isSameWithin) return;
  const other = verified.find((one) => one.delivery.tenant !== first.delivery.tenant) ?? first;
  add(
    'tenants-differ',
    '',
    other.delivery,
    'the same form of signature for both tenants',
    ` has ${sayForm(other.forms[0])}, and those of the other tenant ${sayForm(first.forms[0])}`,
  );
}
