import type { Report, RequirementResult } from '../requirement/types.js';
import { countsOf } from './outcome.js';
import { bySection, sectionTitle } from './sections.js';
import { brief } from './visible.js';

const longest = 8_000;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Text for an attribute or an element: what XML 1.0 forbids is written out, what it reserves is escaped. */
function xml(text: string): string {
  return brief(text, longest).replace(/[&<>"']/g, (character) => entities[character] ?? '');
}

function story(result: RequirementResult): string {
  const lines = [`level: ${result.level}`, `source: ${result.source}`];
  for (const finding of result.findings) {
    lines.push('', `expected: ${finding.expected}`, `actual: ${finding.actual}`);
    if (finding.curl !== undefined) lines.push(`curl: ${finding.curl}`);
    if (finding.replay !== undefined) lines.push(`replay: ${finding.replay}`);
    if (finding.exchanges.length > 0) lines.push(`exchanges: ${finding.exchanges.join(', ')}`);
  }
  return lines.map(xml).join('\n');
}

function inside(result: RequirementResult): string {
  const reason = xml(result.reason);
  if (result.verdict === 'fail')
    return `<failure message="${reason}" type="${xml(result.level)}">${story(result)}</failure>`;
  if (result.verdict === 'error' || result.verdict === 'blocked') {
    return `<error message="${reason}" type="${result.verdict}">${story(result)}</error>`;
  }
  if (result.verdict === 'not-applicable') return `<skipped message="${reason}"/>`;
  if (result.verdict === 'warn') return `<system-out>warning: ${reason}\n${story(result)}</system-out>`;
  return '';
}

/** `junit.xml`: one suite per section, one case per requirement; warnings pass and say so in their output. */
export function renderJUnit(report: Report): string {
  const tally = (results: readonly RequirementResult[]): string => {
    const counts = countsOf(results);
    return `tests="${results.length}" failures="${counts.fail}" errors="${counts.error + counts.blocked}" skipped="${counts['not-applicable']}"`;
  };
  const out = ['<?xml version="1.0" encoding="UTF-8"?>'];
  out.push(`<testsuites name="dealership-conformance" ${tally(report.requirements)} time="${report.seconds}">`);
  for (const [section, results] of bySection(report.requirements)) {
    const name = sectionTitle(section) === '' ? section : `${section} ${sectionTitle(section)}`;
    out.push(`  <testsuite name="${xml(name)}" ${tally(results)} time="0" timestamp="${xml(report.started)}">`);
    for (const result of results) {
      const body = inside(result);
      const open = `    <testcase classname="${xml(section)}" name="${xml(`${result.id} ${result.title}`)}" time="0"`;
      out.push(body === '' ? `${open}/>` : `${open}>${body}</testcase>`);
    }
    out.push('  </testsuite>');
  }
  out.push('</testsuites>', '');
  return out.join('\n');
}
