import { quote } from '../../service/index.js';
import type { Observation } from '../../requirement/index.js';
import { headerValues, signatureSchemes, type Delivery } from '../delivery.js';
import { findingList, sayDelivery, type JudgeSettings, type PartJudgement } from '../judge/hook-findings.js';
import { diagnose } from './signature-diagnosis.js';
import { commonForms, formKey, sayForm, verifyingForms, type SignatureForm } from './signature-forms.js';

const shown = (values: readonly string[]): string => quote(values.length === 1 ? values[0] : values);

/** The header, other than the expected one, that carries a valid signature. */
function elsewhere(delivery: Delivery, settings: JudgeSettings): string | null {
  const names = [...new Set(delivery.headers.map(([name]) => name))].filter(
    (name) => name !== settings.header.toLowerCase(),
  );
  return names.find((name) => verifyingForms(delivery, settings.secret, name).length > 0) ?? null;
}

/** A signature of another kind that a delivery carries in place of the one of §5.6. */
function otherScheme(delivery: Delivery): string {
  const [scheme] = signatureSchemes(delivery);
  return scheme === undefined ? '' : `; it carries ${scheme} instead, and §5.6 asks for an HMAC in this header`;
}

/** HOOK-01: the signature header on every delivery. */
export function judgePresence(deliveries: readonly Delivery[], settings: JudgeSettings): PartJudgement {
  const findings = findingList('HOOK-01');
  let searched = 0;
  for (const delivery of deliveries) {
    const values = headerValues(delivery, settings.header);
    if (values.some((value) => value.trim() !== '')) continue;
    searched += 1;
    const other = searched <= 20 ? elsewhere(delivery, settings) : null;
    const hint =
      other === null
        ? otherScheme(delivery)
        : `; its header ${other} carries a valid signature: if that is the name, set SIGNATURE_HEADER`;
    findings.add(`${values.length === 0 ? 'absent' : 'empty'} ${delivery.tenant} ${other ?? ''}`, {
      code: 'no-signature',
      expected: `the header ${settings.header} on every delivery`,
      actual: `${sayDelivery(delivery)} ${values.length === 0 ? 'has none' : 'has it empty'}${hint}`,
      delivery: delivery.seq,
    });
  }
  return { findings: findings.list(), observations: [] };
}

/** The reading that most deliveries share. */
function commonest(each: readonly (readonly SignatureForm[])[]): SignatureForm | null {
  const counts = new Map<string, { form: SignatureForm; count: number }>();
  for (const form of each.flat()) {
    const known = counts.get(formKey(form)) ?? { form, count: 0 };
    counts.set(formKey(form), { form, count: known.count + 1 });
  }
  return [...counts.values()].sort((a, b) => b.count - a.count)[0]?.form ?? null;
}

const withoutKey = (form: SignatureForm): string => formKey({ ...form, key: '' });

/** HOOK-02: the HMAC-SHA256 of the raw body under the tenant's secret, written the same way in every delivery. */
export function judgeSignatures(
  deliveries: readonly Delivery[],
  settings: JudgeSettings,
  strayed: ReadonlySet<number>,
): PartJudgement & { readonly judged: number } {
  const findings = findingList('HOOK-02');
  const observations: Observation[] = [];
  const expected = `${settings.header} to be the HMAC-SHA256 of the exact raw body under the tenant's secret`;
  const verified: { delivery: Delivery; forms: readonly SignatureForm[]; form: SignatureForm }[] = [];
  let judged = 0;
  let diagnosed = 0;
  for (const delivery of deliveries) {
    const secret = delivery.tenant === 'main' ? settings.secret : settings.otherSecret;
    const values = headerValues(delivery, settings.header);
    if (secret === null || !delivery.whole || strayed.has(delivery.seq) || !values.some((value) => value.trim() !== ''))
      continue;
    judged += 1;
    const forms = verifyingForms(delivery, secret, settings.header);
    const [form] = forms;
    if (form !== undefined) {
      verified.push({ delivery, forms, form });
      continue;
    }
    diagnosed += 1;
    const cause =
      diagnosed > 40
        ? null
        : diagnose(delivery, {
            secret,
            otherSecret: delivery.tenant === 'main' ? settings.otherSecret : settings.secret,
            header: settings.header,
            suspects: settings.suspects ?? [],
            others: deliveries,
          });
    findings.add((cause ?? 'unknown').replace(/\d+/g, 'n'), {
      code: 'wrong-signature',
      expected,
      actual: `${sayDelivery(delivery)} has ${shown(values)}: ${cause ?? 'no known message, key or encoding gives that value'}`,
      delivery: delivery.seq,
    });
  }
  const [first] = verified;
  if (first === undefined) return { findings: findings.list(), observations, judged };
  for (const tenant of ['main', 'other'] as const) {
    const own = verified.filter((one) => one.delivery.tenant === tenant);
    const common = commonForms(own.map((one) => one.forms));
    const most = common[0] ?? commonest(own.map((one) => one.forms));
    if (most === null) continue;
    if (common.length === 0) {
      for (const { delivery, forms, form: other } of own) {
        if (forms.some((form) => formKey(form) === formKey(most))) continue;
        findings.add(`changed ${formKey(other)}`, {
          code: 'form-changed',
          expected: `the same form of signature in every delivery: ${sayForm(most)}`,
          actual: `${sayDelivery(delivery)} has ${shown(headerValues(delivery, settings.header))}: ${sayForm(other)}`,
          delivery: delivery.seq,
        });
      }
    }
    if (!most.raw) {
      findings.add(`stamped ${tenant}`, {
        code: 'more-than-body',
        expected: `${expected} alone`,
        actual: `it is the HMAC-SHA256 of more than the body: ${sayForm(most)}; a receiver that follows §5.6 would refuse it`,
        delivery: own[0]?.delivery.seq ?? null,
      });
    }
    observations.push({
      id: 'HOOK-02',
      question: `How is the signature written${tenant === 'other' ? ' for the second tenant' : ''}?`,
      observed: `${sayForm(most)}; ${own.length} deliveries verified, none with one bit flipped`,
    });
  }
  const across = commonForms(
    verified.map((one) => one.forms),
    withoutKey,
  );
  const sameWithin = (['main', 'other'] as const).every((tenant) => {
    const own = verified.filter((one) => one.delivery.tenant === tenant);
    return own.length === 0 || commonForms(own.map((one) => one.forms)).length > 0;
  });
  if (across.length === 0 && sameWithin) {
    const other = verified.find((one) => one.delivery.tenant !== first.delivery.tenant) ?? first;
    findings.add('tenants differ', {
      code: 'tenants-differ',
      expected: 'the same form of signature for both tenants',
      actual: `${sayForm(first.form)} for one, ${sayForm(other.form)} for the other`,
      delivery: other.delivery.seq,
    });
  }
  return { findings: findings.list(), observations, judged };
}
