import { UnjudgedSignal } from '../http/signals.js';
import { curlFor } from '../http/curl.js';
import { fingerprintOf, mostFindings } from '../requirement/fingerprint.js';
import type { Finding, RequirementResult, Verdict } from '../requirement/types.js';
import type { Check } from './check.js';

/** The verdict of a check, computed once, from how its body ended and what it recorded. */
export function resultOf(
  { entry, run, breaches, requests }: Check,
  elapsedMs: number,
  ended: unknown,
): RequirementResult {
  const hard = breaches.filter((one) => !one.soft);
  const shown = hard.length > 0 ? [...hard, ...breaches.filter((one) => one.soft)] : breaches;
  const clean = (text: string): string => run.redactor.text(text);
  const findings = shown.slice(0, mostFindings).map((one): Finding => {
    const last = one.exchanges?.at(-1);
    const words = { expected: clean(one.expected), actual: clean(one.actual) };
    return {
      ...words,
      ...(last ? { curl: curlFor(last) } : {}),
      replay: `${run.replay(entry.id)}${one.path === undefined ? '' : ` --path ${one.path}`}`,
      exchanges: (one.exchanges ?? []).slice(-12).map((exchange) => String(exchange.seq)),
      ...(one.page === undefined ? {} : { page: one.page }),
      fingerprint: fingerprintOf(entry.id, words),
    };
  });
  const say = (verdict: Verdict, reason: string): RequirementResult => ({
    id: entry.id,
    section: entry.section,
    level: entry.level,
    title: entry.title,
    source: entry.source,
    verdict,
    reason: clean(reason),
    findings,
    requests: requests,
    seconds: Math.round(elapsedMs) / 1000,
  });
  const first = shown[0];
  const firstReason = first
    ? `expected ${first.expected}; seen: ${first.actual}${shown.length > 1 ? ` (and ${shown.length - 1} more)` : ''}`
    : '';
  if (hard.length > 0) return say('fail', firstReason);
  if (ended instanceof UnjudgedSignal)
    return { ...say(ended.verdict, ended.message), ...(ended.remedy && { remedy: ended.remedy }) };
  if (ended !== undefined)
    return say(
      'error',
      `the suite itself failed here: ${ended instanceof Error ? ended.message : JSON.stringify(ended)}`,
    );
  if (first) return say('warn', firstReason);
  return say('pass', entry.level === 'OBSERVE' ? 'observed' : 'no breach in any exchange that was judged');
}
