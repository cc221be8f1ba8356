import type { Report, RequirementResult } from '../requirement/types.js';
import { escape } from './html/html-markup.js';
import {
  blockedByReason,
  judgedText,
  namesOf,
  partlyJudged,
  unjudgedByRemedy,
  withoutSharedReasons,
} from './judged.js';
import { countsOf } from './outcome.js';
import { bySection, sectionTitle } from './sections.js';
import { brief } from './visible.js';

const longest = 8_000;

/** Text for an attribute or an element: what XML 1.0 forbids is written out, what it reserves is escaped. */
function xml(text: string): string {
  return escape(brief(text, longest));
}

function story(result: RequirementResult): string {
  const lines = [`level: ${result.level}`, `source: ${result.source}`];
  const [finding, ...more] = result.findings;
  if (finding !== undefined) {
    lines.push('', `expected: ${finding.expected}`, `actual: ${finding.actual}`);
    if (finding.curl !== undefined) lines.push(`curl: ${finding.curl}`);
    if (finding.replay !== undefined) lines.push(`replay: ${finding.replay}`);
    if (finding.exchanges.length > 0) lines.push(`exchanges: ${finding.exchanges.join(', ')}`);
  }
  if (more.length > 0) lines.push('', `${more.length} more like it are in conformance.html and conformance.json`);
  return lines.map(xml).join('\n');
}

function inside(result: RequirementResult): string {
  const reason = xml(result.reason);
  if (result.verdict === 'fail')
    return `<failure message="${reason}" type="${xml(result.level)}">${story(result)}</failure>`;
  if (result.verdict === 'error' || result.verdict === 'blocked') {
    return `<error message="${reason}" type="${result.verdict}">${story(result)}</error>`;
  }
  if (result.verdict === 'not-applicable' || result.verdict === 'waived') return `<skipped message="${reason}"/>`;
  if (result.verdict === 'warn') return `<system-out>warning: ${reason}\n${story(result)}</system-out>`;
  return '';
}

/** Seconds that checks took together, to the millisecond. */
function secondsOf(results: readonly RequirementResult[]): string {
  return results.reduce((sum, { seconds = 0 }) => sum + seconds, 0).toFixed(3);
}

/** Cases of what was not judged: one for each reason that several share, and one for each setting that lets more be judged. */
function unjudgedCases({ requirements: results, observations }: Report): RequirementResult[] {
  const shared = blockedByReason(results).filter((group) => group.results.length > 1);
  const left = results.filter(({ verdict }) => verdict === 'not-applicable');
  const partly = partlyJudged(observations).flatMap(({ id, remedy }): RequirementResult[] => {
    const found = results.find((result) => result.id === id);
    const title = `is judged in part: ${remedy}`;
    return found === undefined
      ? []
      : [{ ...found, id: '1 requirement', title, verdict: 'not-applicable', reason: id, findings: [], seconds: 0 }];
  });
  const whole = [...shared, ...unjudgedByRemedy(left)].flatMap((group) => {
    const [first] = group.results;
    const [reason, title] =
      first?.verdict === 'blocked'
        ? [group.text, 'are blocked for one reason']
        : [namesOf(group), `are not judged: ${group.text}`];
    const id = `${group.results.length} requirements`;
    return first === undefined
      ? []
      : [{ ...first, id, title, reason, source: namesOf(group), findings: [], seconds: 0, requests: 0 }];
  });
  return [...whole, ...partly];
}

/** A failed case for each waiver that is expired or no longer needed. */
function outdatedWaiverCases({ outdatedWaivers = [] }: Report): RequirementResult[] {
  return outdatedWaivers.map((reason) => ({
    id: 'waivers',
    section: '',
    level: 'MUST',
    title: reason,
    source: 'the waivers file',
    verdict: 'fail',
    reason,
    findings: [],
    requests: 0,
  }));
}

/**
 * `junit.xml`: one suite per section, one case per requirement; warnings pass and say so in their output. The last suite says how much was
 * judged; a reason that several requirements share is an error there, once, and they are skipped.
 */
export function renderJUnit(report: Report): string {
  const unjudged = [...unjudgedCases(report), ...outdatedWaiverCases(report)];
  const cases = withoutSharedReasons(report.requirements, report.requirements).map((result, at): RequirementResult =>
    result.reason === report.requirements[at]?.reason ? result : { ...result, verdict: 'not-applicable' },
  );
  const tally = (results: readonly RequirementResult[]): string => {
    const counts = countsOf(results);
    return `tests="${results.length}" failures="${counts.fail}" errors="${counts.error + counts.blocked}" skipped="${counts['not-applicable'] + counts.waived}"`;
  };
  const out = ['<?xml version="1.0" encoding="UTF-8"?>'];
  out.push(`<testsuites name="dealership-conformance" ${tally([...cases, ...unjudged])} time="${report.seconds}">`);
  const judged = judgedText(report.requirements);
  for (const [section, results] of [...bySection(cases, report.sections), [judged, unjudged] as const]) {
    const name = `${section} ${sectionTitle(section, report.sections)}`.trimEnd();
    out.push(
      `  <testsuite name="${xml(name)}" ${tally(results)} time="${secondsOf(results)}" timestamp="${xml(report.started)}">`,
    );
    for (const result of results) {
      const body = inside(result);
      const open = `    <testcase classname="${xml(section)}" name="${xml(`${result.id} ${result.title}`)}" time="${secondsOf([result])}"`;
      out.push(body === '' ? `${open}/>` : `${open}>${body}</testcase>`);
    }
    out.push('  </testsuite>');
  }
  out.push('</testsuites>', '');
  return out.join('\n');
}
